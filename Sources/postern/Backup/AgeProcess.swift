import Glibc
import ServiceRuntime

/// `age` or `age-keygen`, while it runs. Bytes go to its standard input and come from its standard
/// output, and what it says on standard error is an error's text.
///
/// A wait for one of these pipes serves all three. Otherwise each side could wait for the other:
/// `age` takes no more input while its output is full, and that stays full while we only write.
///
/// Output counts once `read` has returned nil, after exit code 0: of a file that was cut or
/// changed, `age` sends the part before the damage, and reports the damage at its end.
final class AgeProcess {
    /// How much is read at once, in bytes: what a pipe holds.
    private static let partBytes = 64 << 10
    /// How long one wait for a pipe takes, in milliseconds. A cancelled task ends after it.
    private static let waitMilliseconds: Int32 = 100
    /// The same for its end, which follows the end of its output at once.
    private static let endMilliseconds: Int32 = 5

    private let name: String
    private let subject: String
    private let advice: String
    private let patience: Duration
    private let process: OSProcess
    /// Our ends of the open pipes, by the numbers of its streams.
    private var pipes: [Int32: Int32]
    private var end: OSProcess.End?
    private var said = AgeErrors()
    /// How long we have waited since the last byte. It is a sum of waits, so that time does not
    /// count in which the machine or the terminal's job was suspended.
    private var idle = Duration.zero
    private let asks: Bool
    /// It may be asking a person at the terminal, who has any time.
    private var isAsking: Bool

    /// Starts the program.
    /// - Parameters:
    ///   - input: an open file that it reads; nil if it reads what `write` is given.
    ///   - subject: the file that errors are about.
    ///   - advice: what to do after an error, the end of its sentence.
    ///   - patience: how long it may neither take nor send a byte.
    ///   - asks: whether it may ask at the terminal before its first output.
    /// - Throws: `ToolError`.
    init(
        _ name: String, _ arguments: [String], input: Int32?, about subject: String,
        advice: String = "", patience: Duration, asks: Bool
    ) throws {
        // A write to a process that has ended fails with EPIPE, instead of ending the tool.
        signal(SIGPIPE, SIG_IGN)
        var (ours, its): ([Int32: Int32], [Int32: Int32]) = ([:], [:])
        defer { its.values.forEach { close($0) } }
        do {
            for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
            where stream != STDIN_FILENO || input == nil {
                let (reading, writing) = try OSProcess.pipe()
                ours[stream] = stream == STDIN_FILENO ? writing : reading
                its[stream] = stream == STDIN_FILENO ? reading : writing
            }
            var streams = its
            if let input { streams[STDIN_FILENO] = input }
            // In our group: a process of another one could not ask at the terminal.
            process = try OSProcess(name, arguments, streams: streams, hasOwnGroup: false)
        } catch {
            ours.values.forEach { close($0) }
            guard (error as? OSProcess.NotStarted)?.code == ENOENT else { throw error }
            throw ToolError(
                "there is no program \(name), which encrypts and opens backups: install the Debian "
                    + "package age")
        }
        for end in ours.values { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        pipes = ours
        self.name = name
        self.subject = subject
        self.advice = advice
        self.patience = patience
        self.asks = asks
        isAsking = asks
    }

    deinit { stop() }

    /// The process, until it has ended.
    var id: pid_t { process.id }

    /// Gives it bytes.
    /// - Returns: what it has sent meanwhile.
    /// - Throws: `ToolError` if it ends before, `CancellationError`.
    func write(_ bytes: [UInt8]) throws -> [UInt8] {
        var (sent, done): ([UInt8], Int) = ([], 0)
        while done < bytes.count {
            let ready = try serve([STDIN_FILENO, STDOUT_FILENO], for: Self.waitMilliseconds)
            if ready.contains(STDOUT_FILENO) { sent += try take(from: STDOUT_FILENO) }
            if ready.contains(STDIN_FILENO) { done += try give(bytes[done...]) }
        }
        return sent
    }

    /// Ends its input.
    /// - Returns: the rest of its output, after it has ended with exit code 0.
    /// - Throws: `ToolError` for another end, `CancellationError`.
    func finish() throws -> [UInt8] {
        shut(STDIN_FILENO)
        var rest: [UInt8] = []
        while let part = try read() { rest += part }
        return rest
    }

    /// The next bytes of its output; nil after it has ended with exit code 0.
    /// - Throws: `ToolError` for another end, `CancellationError`.
    func read() throws -> [UInt8]? {
        while pipes[STDOUT_FILENO] != nil {
            let ready = try serve([STDOUT_FILENO], for: Self.waitMilliseconds)
            guard ready.contains(STDOUT_FILENO) else { continue }
            let part = try take(from: STDOUT_FILENO)
            isAsking = false
            if !part.isEmpty { return part }
        }
        guard try ended() == .exit(code: 0) else { throw try failure() }
        return nil
    }

    /// Ends it, if it runs.
    func stop() {
        for stream in Array(pipes.keys) { shut(stream) }
        guard end == nil else { return }
        process.send(SIGKILL)
        end = process.wait()
    }

    // MARK: Pipes

    /// Waits for one of these streams, and takes what it says on standard error meanwhile.
    /// - Returns: those that are ready; often none.
    private func serve(_ streams: [Int32], for milliseconds: Int32) throws -> Set<Int32> {
        try Task.checkCancellation()
        let open = Array(pipes.filter { streams.contains($0.key) || $0.key == STDERR_FILENO })
        var polled = open.map { stream, end in
            pollfd(fd: end, events: Int16(stream == STDIN_FILENO ? POLLOUT : POLLIN), revents: 0)
        }
        let count = poll(&polled, nfds_t(polled.count), milliseconds)
        guard count > 0 else {
            if count < 0, errno != EINTR { throw ToolError.system(name, errno) }
            if count == 0, !isAsking { try requireProgress(after: .milliseconds(milliseconds)) }
            return []
        }
        idle = .zero
        var ready: Set<Int32> = []
        for (pipe, result) in zip(open, polled) where result.revents != 0 {
            ready.insert(pipe.key)
        }
        if ready.remove(STDERR_FILENO) != nil { said.add(try take(from: STDERR_FILENO)) }
        return ready
    }

    private func requireProgress(after wait: Duration) throws {
        idle += wait
        guard idle >= patience else { return }
        stop()
        throw ToolError(
            "\(subject): \(name) has neither taken nor sent a byte for "
                + "\(DurationText.write(patience)), and was ended")
    }

    /// What is in a pipe; nothing at its end, where it is closed.
    private func take(from stream: Int32) throws -> [UInt8] {
        guard let pipe = pipes[stream] else { return [] }
        var (count, reason) = (0, Int32(0))
        let part = [UInt8](unsafeUninitializedCapacity: Self.partBytes) { buffer, filled in
            count = Glibc.read(pipe, buffer.baseAddress, Self.partBytes)
            reason = errno
            filled = max(0, count)
        }
        if count == 0 { shut(stream) }
        if count < 0, reason != EAGAIN, reason != EINTR { throw ToolError.system(name, reason) }
        return part
    }

    /// - Returns: how many of the bytes it has taken.
    private func give(_ bytes: ArraySlice<UInt8>) throws -> Int {
        guard let pipe = pipes[STDIN_FILENO] else { return 0 }
        let count = bytes.withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
        if count >= 0 { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case EPIPE: throw try failure()
        case let reason: throw ToolError.system(name, reason)
        }
    }

    private func shut(_ stream: Int32) {
        if let pipe = pipes.removeValue(forKey: stream) { close(pipe) }
    }

    // MARK: Its end

    private func ended() throws -> OSProcess.End {
        while true {
            if let end { return end }
            end = process.ended()
            if end == nil { _ = try serve([], for: Self.endMilliseconds) }
        }
    }

    /// The error about its end.
    private func failure() throws -> ToolError {
        let end = try ended()
        // At the terminal Ctrl-C reaches both of us, and its end may be noticed first.
        if asks, end == .signal(SIGINT) { throw CancellationError() }
        var part: [UInt8]
        repeat {
            part = try take(from: STDERR_FILENO)
            said.add(part)
        } while !part.isEmpty
        let text =
            switch end {
            case .exit(code: 0): "\(name) ended before it had taken everything"
            case .exit: (said.text ?? "\(name) \(end.phrase)") + advice
            case .signal: "\(name) \(end.phrase)"
            }
        return ToolError("\(subject): \(text)")
    }
}

/// What a program of age says on standard error. After the line with its error, `age: error: …`,
/// there are hints for a person at `age` itself, and where to report what is unexpected.
private struct AgeErrors {
    /// Of a file that is not age's it repeats the whole first line, however long.
    private static let lineBytesMax = 300

    private var line: [UInt8] = []
    private var last: (text: String, isError: Bool)?

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else if line.count < Self.lineBytesMax {
                line.append(byte)
            }
        }
    }

    /// The last line with an error; if there is none, the last line. Nil if it has said nothing.
    var text: String? {
        var whole = self
        whole.endLine()
        return whole.last?.text
    }

    private mutating func endLine() {
        defer { line.removeAll() }
        guard !line.isEmpty else { return }
        let text = String(decoding: line, as: UTF8.self)
        let isError = text.contains(": error: ")
        guard isError || last?.isError != true else { return }
        last = (line.count < Self.lineBytesMax ? text : text + "…", isError)
    }
}
