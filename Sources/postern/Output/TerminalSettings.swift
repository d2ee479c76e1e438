import Glibc

/// The settings of the terminal that this process runs at. A program that asks for a passphrase
/// turns its echo off, and leaves it so if it is ended meanwhile.
struct TerminalSettings {
    private let before: termios?

    /// The present ones; none without a terminal.
    init() {
        var settings = termios()
        let isKnown = Self.atTerminal { tcgetattr($0, &settings) == 0 }
        before = isKnown ? settings : nil
    }

    /// Sets them again. Not in the background: that would stop this process, and they are those of
    /// the program in front.
    func restore() {
        guard var before else { return }
        _ = Self.atTerminal {
            tcgetpgrp($0) == getpgrp() && tcsetattr($0, TCSANOW, &before) == 0
        }
    }

    private static func atTerminal(_ body: (Int32) -> Bool) -> Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return body(terminal)
    }
}
