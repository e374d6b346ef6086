/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copies of frames for capture/program.go. No packet socket sees what the generator
 * redirects or the sink drops, so their programs copy frames themselves. A program
 * that is loaded with copy_frames 0 has none of this: the verifier removes it. */
#ifndef LINERATE_COPYFRAME_H
#define LINERATE_COPYFRAME_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct copy_head {
	__u64 at_ns; /* CLOCK_MONOTONIC */
	__u32 length;
	__u32 spare;
};

const volatile __u32 copy_frames = 0;
__u32 copied;

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} copies SEC(".maps");

static __always_inline void copy_frame(struct xdp_md *ctx, __u32 length)
{
	struct copy_head h = {};

	if (!copy_frames || copied >= copy_frames)
		return;
	if (__sync_fetch_and_add(&copied, 1) >= copy_frames)
		return;
	h.at_ns = bpf_ktime_get_ns();
	h.length = length;
	bpf_perf_event_output(ctx, &copies, BPF_F_CURRENT_CPU | (__u64)length << 32, &h, sizeof(h));
}

#endif
