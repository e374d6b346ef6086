//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A plugin of QEMU's translator (TCG) that counts how often each instruction of a guest's
 * kernel is executed, in windows that the guest marks. It is linked with no library: what
 * it calls is in QEMU and in the C library that QEMU is linked with, so that one object
 * serves all of them. */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The part of QEMU's interface that is used (include/qemu/qemu-plugin.h; Debian 12 has no
 * package with it). What changed between its versions is told apart below. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t plugin_id;
struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
};
enum { CB_NO_REGS = 0, INLINE_ADD_U64 = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*cb)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void (*cb)(unsigned int cpu, void *data), int flags, void *data);
void qemu_plugin_reset(plugin_id id, void (*cb)(plugin_id));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
/* Versions 0 to 2 (QEMU 4.2 to 9.0) return a pointer, later ones fill the memory at to. */
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t n);
/* Gone from version 2 in QEMU 9.0 on, where counters are per CPU; a callback does as well, slower. */
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op, void *counter, uint64_t add) __attribute__((weak));

#define EXPORTED __attribute__((visibility("default")))

/* QEMU reads the version after the constructor has run. QEMU 6.0 to 8.2 take 1, later ones
 * no less than 2 (plugins/plugin.h). */
EXPORTED int qemu_plugin_version = 1;
__attribute__((constructor)) static void choose_version(void)
{
	if (!qemu_plugin_register_vcpu_insn_exec_inline)
		qemu_plugin_version = 2;
}

/* A mark is an instruction that does nothing, nopl N(%rax), with these bytes and N: the
 * program in the guest executes it (kernels/guest/emulator_amd64.s). */
static const uint8_t mark[] = { 0x0f, 0x1f, 0x80 };
enum { MARK_SIZE = 7, MARK_ARM = 0x6c720001, MARK_BEGIN = 0x6c720002, MARK_END = 0x6c720003 };

/* Addresses of a kernel have the highest bit. A program's share one counter. */
#define KERNEL (1ULL << 63)

struct counter {
	uint64_t address, executed, before;
	struct counter *next;
};

enum { BUCKETS = 1 << 16, BLOCK = 4096 };
static struct counter *buckets[BUCKETS], *blocks[1 << 12];
static size_t counters;
static bool filled_by_caller, armed;
static uint64_t windows;
static plugin_id self;
static int out = -1;

static void give_up(const char *why)
{
	dprintf(2, "count instructions: %s\n", why);
	_exit(1);
}

/* counter_of finds the counter of an address, or makes it. */
static struct counter *counter_of(uint64_t address)
{
	struct counter **bucket = &buckets[(address ^ address >> 16) % BUCKETS], *c;

	for (c = *bucket; c; c = c->next)
		if (c->address == address)
			return c;
	if (counters / BLOCK == sizeof(blocks) / sizeof(blocks[0]))
		give_up("the guest executes too many different instructions");
	if (counters % BLOCK == 0 && !(blocks[counters / BLOCK] = calloc(BLOCK, sizeof(*c))))
		give_up("no memory is left");
	c = &blocks[counters / BLOCK][counters % BLOCK];
	counters++;
	c->address = address;
	c->next = *bucket;
	*bucket = c;
	return c;
}

static void put(const void *data, size_t n)
{
	while (n > 0) {
		ssize_t done = write(out, data, n);

		if (done <= 0)
			give_up("the counts cannot be written");
		data = (const char *)data + done;
		n -= (size_t)done;
	}
}

static void begin(unsigned int cpu, void *data)
{
	(void)cpu, (void)data;
	for (size_t i = 0; i < counters; i++) {
		struct counter *c = &blocks[i / BLOCK][i % BLOCK];

		c->before = c->executed;
	}
}

/* end writes a window: its number from 0 on, how many counters moved in it, and each with
 * its address and count; all are 64 bits wide and as the machine orders bytes. */
static void end(unsigned int cpu, void *data)
{
	uint64_t head[2] = { windows++, 0 };

	(void)cpu, (void)data;
	for (size_t i = 0; i < counters; i++) {
		struct counter *c = &blocks[i / BLOCK][i % BLOCK];

		head[1] += c->executed != c->before;
	}
	put(head, sizeof(head));
	for (size_t i = 0; i < counters; i++) {
		struct counter *c = &blocks[i / BLOCK][i % BLOCK];
		uint64_t pair[2] = { c->address, c->executed - c->before };

		if (pair[1])
			put(pair, sizeof(pair));
	}
}

static void count_one(unsigned int cpu, void *executed)
{
	(void)cpu;
	++*(uint64_t *)executed;
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb);

static void start_counting(plugin_id id)
{
	armed = true;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
}

/* arm begins to count: what was translated before is translated anew. A boot until here
 * takes no longer than without the plugin. */
static void arm(unsigned int cpu, void *data)
{
	(void)cpu, (void)data;
	if (!armed)
		qemu_plugin_reset(self, start_counting);
}

/* mark_of is the number of a mark, or 0. */
static uint32_t mark_of(const struct qemu_plugin_insn *insn)
{
	uint8_t copy[MARK_SIZE];
	const uint8_t *bytes = copy;
	uint32_t n;

	if (qemu_plugin_insn_size(insn) != MARK_SIZE)
		return 0;
	if (filled_by_caller)
		qemu_plugin_insn_data(insn, copy, MARK_SIZE);
	else
		bytes = qemu_plugin_insn_data(insn, NULL, 0);
	if (memcmp(bytes, mark, sizeof(mark)))
		return 0;
	memcpy(&n, bytes + sizeof(mark), sizeof(n));
	return n;
}

/* translated is called with each block of instructions before it is executed first. */
static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		void (*act)(unsigned int, void *) = NULL;

		if (address < KERNEL) {
			address = 0;
			switch (mark_of(insn)) {
			case MARK_ARM:
				act = arm;
				break;
			case MARK_BEGIN:
				act = begin;
				break;
			case MARK_END:
				act = end;
			}
		}
		if (act)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, act, CB_NO_REGS, NULL);
		if (!armed)
			continue;
		struct counter *c = counter_of(address);

		if (qemu_plugin_register_vcpu_insn_exec_inline)
			qemu_plugin_register_vcpu_insn_exec_inline(insn, INLINE_ADD_U64, &c->executed, 1);
		else
			qemu_plugin_register_vcpu_insn_exec_cb(insn, count_one, CB_NO_REGS, &c->executed);
	}
}

/* qemu_plugin_install takes one argument, out=FILE. */
EXPORTED int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv)
{
	self = id;
	filled_by_caller = info->version.cur >= 3;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	out = open(argv[0] + 4, O_WRONLY | O_CLOEXEC);
	if (out < 0)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
