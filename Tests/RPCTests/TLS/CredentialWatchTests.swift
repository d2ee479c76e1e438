import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@Suite("Credential files are watched for changes")
struct CredentialWatchTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()
    private let log = CapturedLog()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Watches the number in a file.
    private func following(
        _ name: String = "number", choice: @escaping @Sendable () -> String = { "" },
        use: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> (value: Reloadable<Int>, watch: CredentialWatch) {
        let folder = folder
        let following = try CredentialWatch.Credential.following(
            .callers, paths: [folder.file(name)], choice: choice, expiresAt: { _ in nil }, use: use
        ) {
            guard let number = Int(try folder.text(of: "number")) else { throw NoNumber() }
            return number
        }
        let watch = CredentialWatch(
            [following.watched], every: .seconds(2), time: time, logger: log.logger())
        return (following.value, watch)
    }

    private struct NoNumber: Error {}

    @Test("a changed file is read again once, and its value is used")
    func change() throws {
        let used = Mutex<[Int]>([])
        try folder.write("1", to: "number")
        let (value, watch) = try following(use: { number in used.withLock { $0.append(number) } })
        watch.look()
        #expect(used.withLock { $0 } == [])
        try folder.write("22", to: "number")
        watch.look()
        watch.look()
        #expect(value.value == 22)
        #expect(used.withLock { $0 } == [22])
    }

    @Test("an unusable file is logged once, and the last value stays until a good one is read")
    func invalidFile() throws {
        try folder.write("1", to: "number")
        let (value, watch) = try following()
        try folder.write("one", to: "number")
        for _ in 0..<3 { watch.look() }
        #expect(value.value == 1)
        #expect(log.lines.filter { $0.contains("credentials.reload.failed") }.count == 1)
        try folder.write("2", to: "number")
        watch.look()
        #expect(value.value == 2)
        folder.remove("number")
        watch.look()
        #expect(value.value == 2)
        #expect(log.lines.filter { $0.contains("credentials.reload.failed") }.count == 2)
    }

    @Test("a new, changed or removed file in a watched folder counts, as does another choice")
    func folders() throws {
        try folder.write("1", to: "number")
        let reads = Mutex(0)
        let choice = Reloadable("first")
        let (_, watch) = try following(
            ".", choice: { choice.value },
            use: { _ in
                reads.withLock { $0 += 1 }
            })
        let steps: [() throws -> Void] = [
            { try folder.write("x", to: "other") }, { try folder.write("xy", to: "other") },
            { folder.remove("other") }, { choice.replace("second") },
        ]
        for (count, step) in steps.enumerated() {
            try step()
            watch.look()
            watch.look()
            #expect(reads.withLock { $0 } == count + 1)
        }
    }

    @Test("a changed file counts in a folder of any size")
    func largeFolder() throws {
        try folder.write("1", to: "number")
        try folder.write("x", to: "other")
        for number in 0..<4_200 { try folder.write("", to: ".hidden-\(number)") }
        for number in 0..<4_200 { try folder.write("", to: "key-\(number)") }
        let reads = Mutex(0)
        let (_, watch) = try following(".", use: { _ in reads.withLock { $0 += 1 } })
        watch.look()
        #expect(reads.withLock { $0 } == 0)
        try folder.write("xy", to: "other")
        watch.look()
        #expect(reads.withLock { $0 } == 1)
    }

    @Test("in the last two weeks of a certificate a warning a day is logged")
    func expiry() throws {
        let day = Duration.seconds(86_400)
        try folder.write("1", to: "number")
        let end = time.now() + day * 14
        let following = try CredentialWatch.Credential.following(
            .serverCertificate, paths: [folder.file("number")], expiresAt: { _ in end },
            read: { 1 })
        let watch = CredentialWatch(
            [following.watched], every: .seconds(2), time: time, logger: log.logger())
        func warnings() -> Int {
            watch.look()
            return log.lines.filter { $0.contains("tls.certificate.expires") }.count
        }
        #expect(warnings() == 0)
        time.advance(by: .milliseconds(1))
        #expect(warnings() == 1)
        #expect(warnings() == 1)
        time.advance(by: day)
        #expect(warnings() == 2)
        time.advance(by: day * 20)
        #expect(warnings() == 3)
    }

    @Test("it checks at each interval until it is cancelled")
    func interval() async throws {
        try folder.write("1", to: "number")
        let (value, watch) = try following()
        let running = Task { try await watch.run() }
        await time.sleepers()
        try folder.write("22", to: "number")
        time.advance(by: .seconds(2))
        await time.sleepers()
        #expect(value.value == 22)
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }
}
