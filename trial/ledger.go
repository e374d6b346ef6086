package trial

import "github.com/linerate/linerate/result"

func (b *Bed) beginLedger(r Request) error {
	if b.Ledger == nil {
		return nil
	}
	return b.Ledger.Begin(b.epoch, r.Trace)
}

// endLedger is called when the trial's counts are known.
func (b *Bed) endLedger(t *result.Trial) (err error) {
	if b.Ledger != nil {
		t.Ledger, err = b.Ledger.End(t.Sent, t.Received)
	}
	return err
}
