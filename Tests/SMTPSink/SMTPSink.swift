import Dispatch
import Glibc
import Synchronization

/// A small mail server on loopback for tests: keeps what it is given, and can refuse, stall and
/// drop where its script says so. One thread for each connection; every read is bounded, so
/// nothing here outlives its test by more than a few seconds.
package final class SMTPSink: Sendable {
    /// How the sink behaves; change it between mails.
    package struct Script: Sendable {
        /// What stands in for the answer to the message's end.
        package enum Ending: Sendable {
            case answer(String)
            case drop
            case stall
            /// Answers after the peer's next command, or its hanging up.
            case late(String)
        }

        package var greeting = "220 sink ESMTP"
        package var capabilities = ["8BITMIME", "SMTPUTF8"]
        package var auth = "235 welcome"
        package var mail = "250 ok"
        package var recipient = "250 ok"
        package var data = "354 go on"
        package var hangsUpAfterMail = false
        package var ending = Ending.answer("250 taken")

        package init() {}
    }

    /// One mail as it came in.
    package struct Mail: Sendable {
        package var from = ""
        package var to = ""
        package var bytes: [UInt8] = []
    }

    private struct State {
        var script: Script
        var mails: [Mail] = []
        var commands: [String] = []
        var connections = 0
        var isClosed = false
        var watchers: [(isMet: @Sendable (State) -> Bool, CheckedContinuation<Void, Never>)] = []

        /// Takes out whoever has seen enough.
        mutating func takeMet() -> [CheckedContinuation<Void, Never>] {
            let met = watchers.filter { $0.isMet(self) }.map(\.1)
            watchers = watchers.filter { !$0.isMet(self) }
            return met
        }
    }

    /// The port that the system picked.
    package let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>

    /// Listens on 127.0.0.1.
    package init(_ script: Script = Script()) throws {
        let (descriptor, port) = try Self.listen()
        listener = descriptor
        self.port = port
        state = Mutex(State(script: script))
        DispatchQueue(label: "sink").async { [self] in acceptConnections() }
    }

    /// How it behaves from the next command on.
    package var script: Script {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// The mails whose last byte has come in, answered or not.
    package var mails: [Mail] { state.withLock { $0.mails } }

    /// Every command line, in order.
    package var commands: [String] { state.withLock { $0.commands } }

    /// How many connections have been accepted.
    package var connections: Int { state.withLock { $0.connections } }

    /// Returns once `count` connections have been accepted.
    package func reached(connections count: Int) async { await until { $0.connections >= count } }

    /// Returns once `count` mails have come in whole.
    package func reached(mails count: Int) async { await until { $0.mails.count >= count } }

    private func until(_ isMet: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.watchers.append((isMet, continuation)) }
        }
    }

    private func change<Value: Sendable>(_ body: @Sendable (inout State) -> Value) -> Value {
        let (value, met) = state.withLock { state in
            let value = body(&state)
            return (value, state.takeMet())
        }
        for watcher in met { watcher.resume() }
        return value
    }

    /// Stops listening.
    package func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    private func acceptConnections() {
        for _ in 0..<1_000 {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            change { $0.connections += 1 }
            DispatchQueue(label: "sink.connection").async { [self] in
                let lines = SinkLines(descriptor: connection)
                converse(lines)
                lines.close()
            }
        }
        Glibc.close(listener)
    }

    private func converse(_ lines: SinkLines) {
        var mail = Mail()
        lines.write(script.greeting)
        for _ in 0..<10_000 {
            guard let line = lines.read() else { return }
            state.withLock { $0.commands.append(line) }
            let script = script
            switch line.prefix(4).uppercased() {
            case "EHLO": greet(lines, script)
            case "AUTH": lines.write(script.auth)
            case "MAIL":
                mail = Mail(from: line)
                lines.write(script.mail)
            case "RCPT":
                mail.to = line
                lines.write(script.recipient)
            case "DATA":
                lines.write(script.data)
                guard script.data.hasPrefix("354") else { continue }
                guard take(&mail, lines) else { return }
            case "QUIT":
                lines.write("221 bye")
                return
            default: lines.write("250 ok")
            }
        }
    }

    private func greet(_ lines: SinkLines, _ script: Script) {
        for capability in script.capabilities { lines.write("250-\(capability)") }
        lines.write("250 SIZE 10000000")
    }

    /// Reads the message and ends it as the script says; false ends the connection.
    private func take(_ mail: inout Mail, _ lines: SinkLines) -> Bool {
        while true {
            guard let line = lines.readBytes() else { return false }
            if line == [UInt8(ascii: ".")] { break }
            mail.bytes += line.first == UInt8(ascii: ".") ? line.dropFirst() : line[...]
            mail.bytes += [13, 10]
        }
        let taken = mail
        let ending = change { state in
            state.mails.append(taken)
            return state.script.ending
        }
        switch ending {
        case .answer(let answer):
            lines.write(answer)
            return !script.hangsUpAfterMail
        case .drop: return false
        case .stall:
            lines.waitForEnd()
            return false
        case .late(let answer):
            _ = lines.fill()
            lines.write(answer)
        }
        return true
    }

    private static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && Glibc.listen(descriptor, 64) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isListening else { throw SinkFailure(errno: errno) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

/// The system gave no listening socket.
package struct SinkFailure: Error {
    package let errno: Int32
}
