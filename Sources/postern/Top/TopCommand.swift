import ArgumentParser
import Glibc
import ServiceRuntime

/// `postern top`: the activity of all programs, every second.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Shows calls, errors, latencies and memory of all programs, every second.",
        discussion: """
            q or Ctrl-C quits. If the output is not a terminal the table is written as lines. \
            Latencies are read from histograms: they are as exact as the buckets.
            """)

    @OptionGroup var services: EndpointsOption

    @Flag(help: "Print one table, of one second, and exit: with 1 if no program responds.")
    var once = false

    @OptionGroup var output: OutputOption

    func validate() throws {
        guard once || !output.isJSON else {
            throw ValidationError("--output json needs --once: one table")
        }
    }

    func run() async throws {
        let endpoints = try Endpoints(services.endpoints)
        let terminal = once ? nil : Terminal()
        var before = await scrape(endpoints)
        while true {
            if let terminal {
                if terminal.isLeft(within: 1_000) { return }
            } else {
                try await Task.sleep(for: .seconds(1))
            }
            let now = await scrape(endpoints)
            let rows = endpoints.programs.map { service in
                TopTable.Row(service: service, before: before[service], now: now[service])
            }
            guard !output.isJSON else {
                try output.show(rows.map(TopTable.row))
                return try Self.requireResponse(now)
            }
            let lines = TopTable.lines(rows, height: terminal?.height ?? .max)
            if let terminal { terminal.show(lines) } else { lines.forEach(Screen.line) }
            if once { return try Self.requireResponse(now) }
            before = now
        }
    }

    /// - Throws: `ExitCode` if no program responds.
    static func requireResponse(_ programs: [String: ServiceScrape]) throws {
        if programs.isEmpty { throw ExitCode(1) }
    }

    /// The programs that respond.
    private func scrape(_ endpoints: Endpoints) async -> [String: ServiceScrape] {
        await Endpoints.ofEach(of: endpoints.programs) { service in
            endpoints.metrics(of: service).flatMap(MetricsText.read)
                .map { ServiceScrape($0, at: Clock.seconds()) }
        }
    }

    /// The terminal that the tool runs in, if it is one: keys without line buffering, and the
    /// alternate screen. Both are restored however the command ends, except after SIGKILL.
    private final class Terminal {
        private var before = termios()

        /// Sets the terminal up; nil if input or output is not a terminal.
        init?() {
            guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
                tcgetattr(STDIN_FILENO, &before) == 0
            else { return nil }
            var raw = before
            // Ctrl-C is then read as a key, so that the screen is restored first.
            raw.c_lflag &= ~UInt32(ICANON | ECHO | ISIG)
            tcsetattr(STDIN_FILENO, TCSANOW, &raw)
            write("\u{1b}[?1049h\u{1b}[?25l")
        }

        deinit {
            write("\u{1b}[?25h\u{1b}[?1049l")
            tcsetattr(STDIN_FILENO, TCSANOW, &before)
        }

        /// Number of rows of the screen.
        var height: Int {
            var size = winsize()
            guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
                return 24
            }
            return Int(size.ws_row)
        }

        /// Replaces the screen's content, each line cut at the edge.
        func show(_ lines: [String]) {
            let text = lines.map { $0 + "\u{1b}[K" }.joined(separator: "\r\n")
            write("\u{1b}[?7l\u{1b}[H" + text + "\u{1b}[J\u{1b}[?7h")
        }

        /// Waits for a key that quits: q, Ctrl-C, Ctrl-D or Escape.
        func isLeft(within milliseconds: Int32) -> Bool {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&input, 1, milliseconds) > 0 else { return false }
            var keys = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &keys, keys.count)
            guard count > 0 else { return true }  // the terminal was closed
            return keys[..<count].contains { [UInt8(ascii: "q"), 3, 4, 27].contains($0) }
        }

        private func write(_ text: String) {
            let bytes = Array(text.utf8)
            _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)  // may be closed
        }
    }
}
