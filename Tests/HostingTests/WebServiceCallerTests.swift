import Cryptography
import Messages
import NIOCore
import NIOPosix
import RPC
import TestSupport
import Testing

@testable import Hosting
@testable import ServiceRuntime

@Suite("A web service among the callers of a program", .timeLimit(.minutes(1)))
struct WebServiceCallerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A program that a web service may call.
    private enum FrontProgram: Program {
        struct OwnSettings: Settings {
            init(reading settings: inout SettingsReader) {}
        }

        static let description = ProgramDescription(
            program: "postern-front", service: "postern.front", application: "front",
            summary: "a sample.", port: 7_600, callers: ["app", "web"],
            addressAsserters: ["app", "web"], webServices: ["web"])

        static func assemble(_ host: ServiceHost, _ settings: OwnSettings) async throws -> Assembly
        {
            Assembly(services: [])
        }
    }

    private func settings(_ arguments: String...) throws -> HostSettings {
        let settings: ProgramSettings<FrontProgram> = try SettingsLoader.settings(
            ["--applications-folder=\(folder.path)"] + arguments)
        return settings.host
    }

    private func credentials() throws -> ServerCredentials {
        let description = FrontProgram.description
        return try ServerCredentials(
            settings(), callersMethods: description.callersMethods,
            webServices: description.webServices, time: ManualTime(),
            logger: CapturedLog().logger())
    }

    private func makeKey(_ application: String) throws -> Ed25519SigningKey {
        let key = try Ed25519SigningKey(
            seed: .generate(
                count: 32, randomness: SeededRandomness(seed: UInt64(application.utf8.first ?? 0))))
        try SecretFile.create(
            folder.file("\(application).k1.pub"), SecretBytes(copying: key.verifyingKey.pem))
        return key
    }

    @Test("an installation without a web service needs no key for it, but one for other callers")
    func optional() throws {
        #expect(throws: ApplicationsError.self) { try credentials() }
        _ = try makeKey("app")
        _ = try credentials()
    }

    @Test("a list of callers from before the web service existed remains valid")
    func formerCallers() throws {
        #expect(try settings().addressAsserters == ["app", "web"])
        #expect(try settings("--callers=app").addressAsserters == ["app"])
        #expect(throws: SettingsRefused.self) { try settings("--callers=web") }
    }

    @Test("X-03: without a callers file a web service may call the public methods only")
    func methods() async throws {
        let web = try makeKey("web")
        _ = try makeKey("app")
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await RPCServer.start(
            ServerSettings(service: "postern.front", host: "127.0.0.1", port: 0),
            services: [
                ServiceMethods(
                    ServiceDescription(name: "test.v1.Front", methods: [], fileDescriptors: []),
                    [Self.method("Open", isPublic: true), Self.method("Closed", isPublic: false)])
            ],
            applications: credentials().applications, group: group, time: SystemTime(),
            randomness: SecureRandomness(), logger: CapturedLog().logger())
        let client = RPCClient(
            ClientSettings(
                service: "postern.front", host: "127.0.0.1", port: server.port,
                application: "web", keyID: "k1", secret: web),
            group: group, time: SystemTime(), randomness: SecureRandomness())
        let (open, closed) = (Self.description("Open"), Self.description("Closed"))
        let context = client.context(timeout: .seconds(10))
        _ = try await client.call(open, packed: .plain([]), context)
        let refused = await #expect(throws: ServiceError.self) {
            try await client.call(closed, packed: .plain([]), context)
        }
        #expect(refused?.code == .permissionDenied)
        client.close()
        await server.drain()
        try await group.shutdownGracefully()
    }

    private static func method(_ name: String, isPublic: Bool) -> MethodHandler {
        .onLoop(description(name, isPublic: isPublic)) { (_: HealthV1.CheckRequest, _) in
            HealthV1.CheckResponse()
        }
    }

    private static func description(_ name: String, isPublic: Bool = true) -> MethodDescription {
        MethodDescription(
            name: "test.v1.Front/\(name)", isIdempotent: true, timeout: .seconds(10),
            isOnLoop: true, isPublic: isPublic)
    }
}
