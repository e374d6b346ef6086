package report

import (
	"strconv"

	"github.com/linerate/linerate/result"
)

// csvStreamHeadings are of cells of streams: one row for each stream, numbered from 1,
// and one for the cell whose stream is "total".
var csvStreamHeadings = []string{
	"workload", "streams", "stream", "receiver_l4_bps", "receiver_pps", "retransmits", "datagrams_sent", "datagrams_lost",
	"jain_index", "base_ratio", "direct_l4_bps", "client_cores_busy", "server_cores_busy",
}

// csvStreamRows are the rows of a cell of streams.
func csvStreamRows(run *result.Run, c cell) [][]string {
	known := func(v *uint64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatUint(*v, 10)
	}
	some := func(v float64) string {
		if v == 0 {
			return ""
		}
		return csvNumber(v)
	}
	var rows [][]string
	for i, s := range c.Streams {
		row := csvCell(run, c)
		row["workload"], row["streams"], row["stream"] = c.Workload, strconv.Itoa(c.Flows), strconv.Itoa(i+1)
		row["receiver_l4_bps"], row["retransmits"] = csvNumber(s.ReceiverL4BPS), known(s.Retransmits)
		row["datagrams_sent"], row["datagrams_lost"] = known(s.Sent), known(s.Lost)
		rows = append(rows, csvCells(row))
	}
	row := csvCell(run, c)
	row["workload"], row["streams"], row["stream"] = c.Workload, strconv.Itoa(c.Flows), "total"
	if !c.measured() {
		row["relation"], row["note"] = "skipped", c.Skipped
		return append(rows, csvCells(row))
	}
	row["receiver_l4_bps"], row["receiver_pps"], row["jain_index"] = csvNumber(c.TotalReceiverL4BPS), some(c.TotalReceiverPPS), csvNumber(c.JainIndex)
	row["base_ratio"], row["direct_l4_bps"] = some(c.BaseRatio), some(c.DirectL4BPS)
	if n, told := c.Retransmits(); told {
		row["retransmits"] = strconv.FormatUint(n, 10)
	}
	if sent, lost, told := c.Datagrams(); told {
		row["datagrams_sent"], row["datagrams_lost"] = strconv.FormatUint(sent, 10), strconv.FormatUint(lost, 10)
	}
	if c.CPU != nil {
		row["dut_cores_busy"] = csvNumber(c.CPU.DUTCoresBusy)
	}
	if e := c.Ends; e != nil {
		row["client_cores_busy"], row["server_cores_busy"] = csvNumber(e.ClientCoresBusy), csvNumber(e.ServerCoresBusy)
	}
	warnings := 0
	for _, w := range c.Warnings {
		warnings += w.Count
	}
	row["warnings"] = strconv.Itoa(warnings)
	return append(rows, csvCells(row))
}
