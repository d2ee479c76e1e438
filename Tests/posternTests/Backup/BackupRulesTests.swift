import ArgumentParser
import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("The barrier of a backup")
struct HoldBarrierTests {
    @Test(
        "snapshots are one state if all answers arrived before any hold can have ended",
        arguments: [
            (hold: 25, took: 0, isOne: true), (25, 24, true), (25, 25, false), (100, 99, true),
            (100, 100, false), (100, 5_000, false),
        ])
    func verdict(hold: Int, took: Int, isOne: Bool) {
        let began = Duration.seconds(1_000)
        #expect(
            HoldBarrier.isOneState(
                hold: .milliseconds(hold), from: began, to: began + .milliseconds(took)) == isOne)
    }

    @Test("each try holds longer, up to what a service permits")
    func holds() {
        let holds = (1...HoldBarrier.triesMax).map { HoldBarrier.hold(ofTry: $0).milliseconds }
        #expect(holds.prefix(4) == [25, 50, 100, 100])
        #expect(holds.max() == 100 && holds.count == 20)
    }

    @Test("a clock that went back proves nothing")
    func steppedClock() {
        #expect(!HoldBarrier.isOneState(hold: .seconds(1), from: .seconds(2), to: .seconds(1)))
    }
}

@Suite("The files of backups")
struct BackupNameTests {
    private let at = Timestamp(milliseconds: 1_769_850_300_250)

    @Test("a name has the time of its backup, in whole seconds")
    func name() {
        let name = BackupName(at: at)
        #expect(name.text == "postern-backup-2026-01-31T090500Z.age")
        #expect(BackupName(name.text) == name)
    }

    @Test(
        "other names are not backups",
        arguments: [
            "", "postern-backup-.age", "postern-backup-2026-01-31T090500Z.age.partial",
            "postern-backup-2026-01-31T090500.age", "postern-backup-2026-02-30T090500Z.age",
            "postern-backup-2026-01-31T096000Z.age", "postern-backup-2026-01-31T240000Z.age",
            "postern-backup-2026-01-31T-90500Z.age", "postern-backup-2026-01-31 090500Z.age",
            "backup-2026-01-31T090500Z.age", "postern-backup-2026-01-31T090500Z.tar",
        ])
    func others(text: String) {
        #expect(BackupName(text) == nil)
    }

    @Test("a target is a file, or a folder in which each backup has its name")
    func targets() throws {
        let folder = try TemporaryFolder()
        let name = BackupName(at: at)
        #expect(BackupTarget(nil).path(name) == name.text)
        #expect(BackupTarget(folder.path).path(name) == folder.file(name.text))
        #expect(BackupTarget(folder.path + "/").path(name) == folder.file(name.text))
        #expect(BackupTarget(folder.file("b.age")).path(name) == folder.file("b.age"))
        #expect(BackupTarget("nowhere/") == .folder("nowhere/"))
    }
}

@Suite("The schedule of backups")
struct BackupScheduleTests {
    private static let now = Timestamp(milliseconds: 1_769_850_300_000)

    private static func name(_ ago: Duration) -> BackupName { BackupName(at: now - ago) }

    @Test(
        "the next backup is made when the newest is as old as the interval",
        arguments: [
            (nil, 0), (.seconds(90_000), 0), (.seconds(86_400), 0), (.seconds(86_399), 1),
            (.seconds(0), 86_400), (.seconds(-1), 0), (.seconds(-1_000_000), 0),
        ] as [(Duration?, Int)])
    func waits(age: Duration?, seconds: Int) {
        let names = age.map { [Self.name($0).text] } ?? []
        for others in [["notes.txt"], [Self.name(.seconds(-1_000_000)).text]] {
            let wait = BackupSchedule.wait(
                after: names + others, every: .seconds(86_400), now: Self.now)
            #expect(wait == .seconds(seconds))
        }
    }

    @Test("the newest remain, and nothing but the tool's own files is removed")
    func outdated() {
        let names = (0..<5).map { Self.name(.seconds($0 * 86_400)).text }
        let others = [
            "notes.txt", "postern-backup-latest.age", "\(names[2]).copy",
            "\(Self.name(.seconds(-5)).text).partial",
        ]
        let drafts = ["\(Self.name(.seconds(5)).text).partial"]
        let all = (names + others + drafts).shuffled()
        func outdated(_ names: [String], keeping count: Int) -> Set<String> {
            Set(BackupSchedule.outdated(in: names, keeping: count, after: Self.name(.zero)))
        }
        #expect(outdated(all, keeping: 2) == Set(names[2...] + drafts))
        #expect(outdated(all, keeping: .max) == Set(drafts))
        #expect(outdated(others, keeping: 1) == [])
    }

    @Test("after the clock was set back, the backup that was just made remains")
    func clockSetBack() {
        let made = Self.name(.zero)
        let before = Self.name(.seconds(86_400)).text
        let future = (1...3).map { Self.name(.seconds(-$0 * 86_400)).text }
        let names = future + [before, made.text]
        for count in [1, 2] {
            #expect(
                BackupSchedule.outdated(in: names, keeping: count, after: made)
                    == (count == 1 ? [before] : []))
        }
    }

    @Test(
        "a length is short to read",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (12_345_678, "12.3 MB"),
            (999_999, "999.9 kB"), (1_000_000_000, "1.0 GB"), (5_000_000_000_000_000, "5000.0 TB"),
        ])
    func sizes(bytes: Int64, text: String) {
        #expect(BackupSummary.size(bytes) == text)
    }
}

@Suite("The options of `postern backup`")
struct BackupOptionsTests {
    private let recipient = [
        "--recipient", "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
    ]

    private func parse(_ arguments: [String]) throws -> BackupCommand.Create {
        try #require(
            try PosternTool.parseAsRoot(["backup"] + arguments) as? BackupCommand.Create)
    }

    /// The message about invalid arguments.
    private func refusal(_ arguments: [String]) -> String? {
        let error = #expect(throws: (any Error).self) { try parse(arguments) }
        return error.map { PosternTool.fullMessage(for: $0) }
    }

    @Test("a backup without a recipient is refused, with what to do; a passphrase is no recipient")
    func neverPlain() {
        let passphrase = ["--passphrase-file", "p"]
        #expect(refusal([])?.contains("postern backup key") == true)
        #expect(refusal(passphrase)?.contains("postern backup key") == true)
        #expect(refusal(recipient + passphrase)?.contains("--passphrase-file") == true)
    }

    @Test("a variable of the shell that is not set is named by its option")
    func empty() {
        #expect(refusal(recipient + ["--to", ""])?.contains("--to is empty") == true)
        #expect(refusal(["--recipient", ""])?.contains("--recipient is empty") == true)
        for (from, data) in [("", "d"), ("f", "")] {
            #expect(throws: (any Error).self) {
                try RestoreCommand.parse(["--from", from, "--data", data])
            }
        }
    }

    @Test("a folder that does not exist is not taken for the name of a file")
    func mistyped() throws {
        let folder = try TemporaryFolder()
        let mistyped = refusal(recipient + ["--to", folder.file("backupz")])
        #expect(mistyped?.contains("there is no folder \(folder.file("backupz"))") == true)
        _ = try parse(recipient + ["--to", folder.file("b.age")])
    }

    @Test("several recipients and a folder are taken")
    func recipients() throws {
        let folder = try TemporaryFolder()
        let command = try parse(
            recipient + recipient + [
                "--to", folder.path, "--every", "24h", "--keep", "14", "-o", "json",
            ])
        #expect(command.recipients.recipient.count == 2)
        #expect(command.every?.duration == .seconds(86_400) && command.keep == 14)
        #expect(try command.recipients.all().count == 2)
    }

    @Test("a secret key in the place of a recipient is refused and not printed")
    func secret() throws {
        let secret = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
        let command = try parse(["--recipient", secret])
        let error = #expect(throws: ToolError.self) { try command.recipients.all() }
        #expect(error?.description.contains("number 1") == true)
        #expect(error?.description.contains("GFPYY") == false)
    }

    @Test(
        "--every and --keep need a folder; --keys needs --with-keys",
        arguments: [
            ["--to", "/nowhere/b.age", "--every", "24h"],
            ["--to", "/nowhere/b.age", "--keep", "1"],
            ["--keep", "0"], ["--every", "10s"], ["--every", "never"], ["--keys", "keys"],
        ])
    func combinations(arguments: [String]) {
        #expect(refusal(recipient + arguments) != nil)
    }

    @Test("an operator whose services' disk has no space is sent to the service's log")
    func fullDisk() {
        let job = BackupJob(
            endpoints: "/no/such/file", target: .folder("."), recipients: [], age: .installed,
            keysFolder: nil, keep: 1, time: ManualTime())
        func lines(_ part: String) -> [String] {
            let error = ServiceError(.unavailable, unavailablePart: part)
            return job.lines(about: ServiceFailure(service: "identity", error: error))
        }
        #expect(lines("identity.store").last?.contains("no space for a copy") == true)
        #expect(!lines("identity").contains { $0.contains("copy") })
    }

    @Test("a service that offers no copy of its store has it on a server, which is backed up")
    func onServer() {
        let job = BackupJob(
            endpoints: "/no/such/file", target: .folder("."), recipients: [], age: .installed,
            keysFolder: nil, keep: 1, time: ManualTime())
        let failure = ServiceFailure(service: "identity", error: ServiceError(.unknownMethod))
        let last = job.lines(about: failure).last
        #expect(last?.contains("with pg_dump") == true)
        #expect(last?.contains("postern store restored") == true)
    }

    @Test("only a refused copy is said to wait for another backup, not an overloaded service")
    func otherBackup() {
        let job = BackupJob(
            endpoints: "/no/such/file", target: .folder("."), recipients: [], age: .installed,
            keysFolder: nil, keep: 1, time: ManualTime())
        func lastLine(_ error: ServiceError) -> String? {
            job.lines(about: ServiceFailure(service: "identity", error: error)).last
        }
        #expect(lastLine(ServiceError(.resourceExhausted))?.contains("another backup") == true)
        let overload = ServiceError(.resourceExhausted, retryAfter: .milliseconds(250))
        #expect(lastLine(overload)?.contains("try again in 250 ms") == true)
    }

    @Test("an identity is made that only its owner can read, and replaces no file")
    func key() throws {
        let folder = try TemporaryFolder()
        let command = try #require(
            try PosternTool.parseAsRoot(["backup", "key", folder.file("id.txt")])
                as? BackupCommand.Key)
        try command.run()
        var status = stat()
        #expect(stat(folder.file("id.txt"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        let text = String(decoding: try TextFile.read(folder.file("id.txt")), as: UTF8.self)
        #expect(text.contains("# public key: age1") && text.contains("AGE-SECRET-KEY-1"))
        #expect(throws: (any Error).self) { try command.run() }
    }
}
