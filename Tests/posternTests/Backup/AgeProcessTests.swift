import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("O-01: `age` as a process that encrypts and opens")
struct AgeProcessTests {
    private let folder: TemporaryFolder
    private let key: BackupKey
    /// More than all pipes and the program hold.
    private let large = [UInt8](repeating: 7, count: 4 << 20)

    init() throws {
        folder = try TemporaryFolder()
        key = try BackupKey(in: folder)
    }

    private func encrypting(by path: String = "age") throws -> AgeProcess {
        try AgeProgram(path: path, patience: .seconds(1))
            .encrypting(to: [key.recipient], named: "b.age")
    }

    /// Opens the file of `large`.
    private func opening() throws -> AgeProcess {
        let path = folder.file("b.age")
        try TextFile.replace(path, with: key.encrypted(large))
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        return try AgeProgram(path: "age", patience: .seconds(1))
            .opening(file, named: path, identity: key.identity)
    }

    /// A program in the place of `age`. A child writes it: a file that this process has open for
    /// writing is open in a child of another test too until that calls exec, and cannot be run
    /// meanwhile (ETXTBSY).
    private func program(_ lines: String) throws -> String {
        let path = folder.file("program")
        let script = #"printf '#!/bin/sh\n%s\n' "$1" >"$2" && chmod 700 "$2""#
        let writer = try OSProcess(
            "sh", ["-c", script, "sh", lines, path], streams: [:], hasOwnGroup: true)
        #expect(writer.wait() == .exit(code: 0))
        return path
    }

    /// Reads to the end.
    private func drain(_ process: AgeProcess) throws {
        while try process.read() != nil {}
    }

    @Test("content of any length is what it was, however it is given", arguments: [0, 1, 65_537])
    func lengths(count: Int) throws {
        let content = SeededRandomness(seed: 1).bytes(count)
        let process = try AgeProgram.installed.encrypting(to: [key.recipient], named: "b.age")
        var file: [UInt8] = []
        for start in stride(from: 0, to: count, by: 1_000) {
            file += try process.write(Array(content[start...].prefix(1_000)))
        }
        file += try process.finish()
        try TextFile.replace(folder.file("b.age"), with: file)
        #expect(try key.opened(folder.file("b.age")) == content)
    }

    @Test("what is more than the pipes hold is given in one piece: no side waits for the other")
    func fullPipes() throws {
        let file = try key.encrypted(large)
        #expect(file.count > large.count)
    }

    @Test("a program that fills its error stream first is served too, and its last error is kept")
    func fullErrors() throws {
        let path = try program(
            """
            head -c 1000000 /dev/zero >&2
            echo >&2
            cat
            echo "age: warning: not this" >&2
            echo "age: error: this" >&2
            echo "age: report it" >&2
            exit 3
            """)
        let process = try encrypting(by: path)
        _ = try process.write(large)
        let error = #expect(throws: ToolError.self) { try process.finish() }
        #expect(error?.description == "b.age: age: error: this")
    }

    @Test("a program that ends with another code and says nothing is named with the code")
    func silent() throws {
        let path = try program("cat; exit 3")
        let process = try encrypting(by: path)
        let error = #expect(throws: ToolError.self) { try process.finish() }
        #expect(error?.description == "b.age: \(path) ended with exit code 3")
    }

    @Test("a program that ends before it has taken everything has not encrypted it")
    func early() throws {
        let path = try program("exit 0")
        let process = try encrypting(by: path)
        expectRefused("ended before it had taken everything") { try process.write(large) }
    }

    @Test("killed while it encrypts, or while it opens a file: its signal is in the error")
    func killed() throws {
        let writer = try encrypting()
        #expect(kill(writer.id, SIGKILL) == 0)
        expectRefused("b.age: age was ended by signal 9 (Killed)") { try writer.write(large) }
        let reader = try opening()
        _ = try reader.read()
        #expect(kill(reader.id, SIGKILL) == 0)
        expectRefused("b.age: age was ended by signal 9 (Killed)") { try drain(reader) }
    }

    @Test("ended by Ctrl-C while it asks: the same as if we were cancelled first")
    func interrupted() throws {
        let asking = try AgeProcess(
            try program("kill -INT $$"), [], input: nil, about: "b.age", patience: .seconds(60),
            asks: true)
        #expect(throws: CancellationError.self) { try asking.read() }
    }

    @Test("stopped while it encrypts, or while it opens a file: it is ended after its time")
    func hangs() throws {
        let writer = try encrypting()
        #expect(kill(writer.id, SIGSTOP) == 0)
        expectRefused("neither taken nor sent a byte for 1s") { try writer.write(large) }
        #expect(kill(writer.id, 0) != 0)
        let reader = try opening()
        _ = try reader.read()
        #expect(kill(reader.id, SIGSTOP) == 0)
        expectRefused("neither taken nor sent a byte for 1s") { try drain(reader) }
        #expect(kill(reader.id, 0) != 0)
    }

    @Test("a task that is cancelled while it waits ends at once, and so does the program")
    func cancelled() async throws {
        let recipient = key.recipient
        let task = Task {
            let process = try AgeProgram.installed.encrypting(to: [recipient], named: "b.age")
            kill(process.id, SIGSTOP)
            defer { process.stop() }
            return try process.write([UInt8](repeating: 7, count: 4 << 20))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("the key is not among its arguments: every user of the machine may read them")
    func arguments() throws {
        let identity = String(decoding: try TextFile.read(key.identity), as: UTF8.self)
        let secret = try #require(
            identity.split(separator: "\n").first { $0.hasPrefix("AGE-SECRET-KEY-1") })
        let process = try opening()
        _ = try process.read()
        // It waits, since its output is full.
        let arguments = try words(of: process, "cmdline")
        #expect(arguments.contains(key.identity) && !arguments.contains(secret))
        #expect(try !words(of: process, "environ").contains(secret))
        process.stop()
    }

    @Test("recipients are tried out before a backup begins")
    func tryOut() throws {
        try AgeProgram.installed.tryOut([key.recipient, key.recipient])
        expectRefused("--recipient: age: error: malformed recipient") {
            try AgeProgram.installed.tryOut([key.recipient, "\(key.recipient.dropLast())"])
        }
        expectRefused("install the Debian package age") {
            try AgeProgram(path: "/no/such/age", patience: .seconds(60)).tryOut([key.recipient])
        }
    }

    private func words(of process: AgeProcess, _ file: String) throws -> String {
        String(decoding: try TextFile.read("/proc/\(process.id)/\(file)"), as: UTF8.self)
    }
}
