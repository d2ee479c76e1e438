import Cryptography
import Glibc
import Logging
import NIOPosix
import RPC
import TestSupport
import Testing

@testable import Hosting
@testable import ServiceRuntime

@Suite("Credentials of a program's server")
struct ServerCredentialsTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()
    private let log = CapturedLog().logger()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func settings(_ arguments: String...) throws -> HostSettings {
        let settings: ProgramSettings<SampleProgram> = try SettingsLoader.settings(
            ["--applications-folder=\(folder.path)"] + arguments)
        return settings.host
    }

    private func makeKey(_ name: String) throws {
        try SecretFile.create(
            folder.file(name), .generate(count: 32, randomness: SeededRandomness()))
    }

    private func makePublicHalf(_ name: String) throws {
        let seed = SecretBytes.generate(count: 32, randomness: SeededRandomness())
        let key = try Ed25519SigningKey(seed: seed).verifyingKey
        try SecretFile.create(folder.file(name), SecretBytes(copying: key.pem))
    }

    @Test("H3: a shared key is an error for our own program, and is logged for another caller")
    func sharedKeys() throws {
        let captured = CapturedLog()
        try makeKey("app.k1.key")
        let settings = try settings("--callers=app", "--client-address-from=app")
        _ = try ServerCredentials(settings, time: time, logger: captured.logger())
        #expect(captured.lines.contains { $0.contains("application_keys.shared") })
        let strict = try self.settings(
            "--callers=app", "--client-address-from=app", "--accept-shared-keys=false")
        #expect(throws: ApplicationsError.self) {
            try ServerCredentials(strict, time: time, logger: log)
        }
        try makeKey("gateway.k1.key")
        let ours = try self.settings("--callers=app,gateway")
        #expect(throws: ApplicationsError.self) {
            try ServerCredentials(ours, time: time, logger: log)
        }
    }

    @Test("H3: a program does not start if its own key is shared with its peers")
    func ownSharedKey() throws {
        try makeKey("sample.k1.key")
        let settings = try settings()
        let refused = #expect(throws: ApplicationsError.self) {
            try PeerCredentials().security(of: "sample", settings, time: time)
        }
        #expect(refused?.description.contains("openssl genpkey") == true)
    }

    @Test("a caller without a key is an error at start, unless certificates identify callers")
    func start() throws {
        #expect(throws: ApplicationsError.self) {
            try ServerCredentials(settings("--callers=gateway"), time: time, logger: log)
        }
        let authority = try TestAuthority(now: time.now())
        let files = try authority.issue([.dns("sample")]).write(to: folder, as: "own")
        try folder.write(authority.pem, to: "roots.pem")
        let credentials = try ServerCredentials(
            settings(
                "--callers=gateway", "--tls-certificate-file=\(files.chain)",
                "--tls-key-file=\(files.key)", "--tls-client-ca-file=\(folder.file("roots.pem"))"),
            time: time, logger: log)
        #expect(credentials.tls?.identifiesCallers == true)
        #expect(credentials.watched.count == 2)
    }

    @Test(
        "an expired certificate or a broken list of callers prevents the start"
    )
    func unsound() throws {
        let authority = try TestAuthority(now: time.now())
        let files = try authority.issue([.dns("sample")]).write(to: folder, as: "own")
        try makePublicHalf("gateway.k1.pub")
        let settings = try settings(
            "--callers=gateway", "--tls-certificate-file=\(files.chain)",
            "--tls-key-file=\(files.key)")
        _ = try ServerCredentials(settings, time: time, logger: log)
        time.advance(by: .seconds(2 * 86_400))
        #expect(throws: TLSFileError.self) {
            try ServerCredentials(settings, time: time, logger: log)
        }

        let list = try folder.write("gateway and more\n", to: "callers")
        let listed = try self.settings("--callers-file=\(list)")
        #expect(throws: CallersList.ParseError.self) {
            try ServerCredentials(listed, time: time, logger: log)
        }
    }

    @Test("a callers file that names a method the server does not have is warned of")
    func unknownMethods() throws {
        let captured = CapturedLog()
        try makePublicHalf("gateway.k1.pub")
        let list = try folder.write("gateway a.v1.B/* a.v1.C/*\n", to: "callers")
        let settings = try settings("--callers-file=\(list)")
        _ = try ServerCredentials(
            settings, methodNames: ["a.v1.B/Get"], time: time, logger: captured.logger())
        let warnings = captured.lines.filter { $0.contains("callers_file.unknown_methods") }
        #expect(warnings.count == 1)
        #expect(warnings.allSatisfy { $0.contains("a.v1.C") && !$0.contains("a.v1.B") })
    }

    @Test("a program's own key is the newest that servers have had time to read")
    func ownKey() throws {
        func current() throws -> String? {
            try ApplicationKey.currentFile(of: "sample", in: folder.path, now: time.now())
                .map { String($0.dropFirst(folder.path.count + 1)) }
        }
        func age(_ name: String, _ age: Duration) {
            let moment = time.now().seconds - age.components.seconds
            var times = [timespec(tv_sec: Int(moment), tv_nsec: 0), timespec()]
            times[1] = times[0]
            #expect(utimensat(AT_FDCWD, folder.file(name), times, 0) == 0)
        }
        #expect(try current() == nil)
        try makeKey("sample.k1.key")
        age("sample.k1.key", .seconds(1))
        #expect(try current() == "sample.k1.key")
        age("sample.k1.key", .seconds(3_600))
        try makeKey("sample.k2.key")
        age("sample.k2.key", .seconds(5))
        #expect(try current() == "sample.k1.key")
        time.advance(by: .seconds(30))
        #expect(try current() == "sample.k2.key")
        #expect(unlink(folder.file("sample.k2.key")) == 0)
        #expect(try current() == "sample.k1.key")
    }
}
