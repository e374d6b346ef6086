package guest

// markArm lets the emulator's counter start, markBegin begins a window in which it counts,
// and markEnd ends it. Without a counter they do nothing.
func markArm()
func markBegin()
func markEnd()
