package journal

import (
	"fmt"

	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
)

// SetLink sets the device Key up or down, as Value says, at once and without a program.
const SetLink Kind = "set-link"

func (a Action) setLink() error {
	return netns.Do(a.Netns, func() error {
		link, err := netlink.LinkByName(a.Key)
		if err != nil {
			return fmt.Errorf("find device %s: %w", a.Key, err)
		}
		set := netlink.LinkSetDown
		if a.Value == "up" {
			set = netlink.LinkSetUp
		}
		if err := set(link); err != nil {
			return fmt.Errorf("set %s %s: %w", a.Key, a.Value, err)
		}
		return nil
	})
}
