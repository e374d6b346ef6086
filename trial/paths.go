package trial

import (
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/result"
)

// readPaths reads the counters of the devices by which the DUT's paths are entered.
func (b *Bed) readPaths() ([]observe.LinkCounters, error) {
	list := make([]observe.LinkCounters, len(b.Paths))
	for i, p := range b.Paths {
		var err error
		if list[i], err = observe.ReadLink(p.Entry.Netns, p.Entry.Interface); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (b *Bed) pathCounts(before, after []observe.LinkCounters) []result.PathCounts {
	var list []result.PathCounts
	for i, p := range b.Paths {
		grown := after[i].Since(before[i])
		list = append(list, result.PathCounts{Name: p.Name, TxPackets: grown.TxPackets, RxPackets: grown.RxPackets})
	}
	result.SharePaths(list)
	return list
}
