import Contracts
import Cryptography
import Messages
import NIOCore
import NIOPosix
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("The methods that browsers and phones may call", .timeLimit(.minutes(1)))
struct PublicMethodSetTests {
    @Test("the public methods are those that a browser or a phone calls in PublicCalls")
    func callers() async throws {
        let callers = Dictionary(grouping: PublicCalls.all, by: \.method.name)
        let methods = try await GatewayFixture().serviceMethods.flatMap(\.description.methods)
        for method in methods {
            let areDevices = Set(callers[method.name]?.map(\.caller.isDevice) ?? [])
            #expect(areDevices == [method.isPublic], "\(method.name)")
            #expect(!method.isPublic || !method.isForNamedCallersOnly, "\(method.name)")
        }
        // So that it can fail.
        #expect(Set(methods.map(\.isPublic)) == [true, false])
    }

    @Test("the descriptors, which clients reflect, say the same")
    func described() async throws {
        for service in try await GatewayFixture().serviceMethods.map(\.description) {
            let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
            for method in service.methods {
                let described = try #require(schema.method(named: method.name))
                #expect(described.options.isPublic == method.isPublic, "\(method.name)")
            }
        }
    }

    @Test("X-03: a taken web service reaches no method beyond the public ones, and no other name")
    func takenWebService() async throws {
        let fixture = try await GatewayFixture()
        let folder = try TemporaryFolder()
        // What its machine holds: its own private key, and other applications' public keys.
        let keys = try ["web", "app", "tool"].enumerated().map { number, name in
            let key = try Ed25519SigningKey(
                seed: .generate(count: 32, randomness: SeededRandomness(seed: UInt64(number))))
            try SecretFile.create(
                folder.file("\(name).k1.pub"), SecretBytes(copying: key.verifyingKey.pem))
            return key
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let callers = CallersList(
            ["app", "tool", "web"], assertingClientAddress: ["app", "tool", "web"],
            carryingTokens: ["web"], methods: ["web": [.publicMethods]])
        let server = try await RPCServer.start(
            ServerSettings(
                service: "postern.gateway", host: "127.0.0.1", port: 0,
                tokenAudiences: ["http://localhost:7480"]),
            services: fixture.serviceMethods,
            applications: Applications(
                folder: folder.path, callers: callers, needsKeys: true,
                sharedKeys: SharedKeyRule(ours: [], acceptsOthers: false)),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: CapturedLog().logger())

        func outcome(
            _ method: String, as application: String = "web", token: String? = nil
        ) async -> ErrorCode? {
            let client = RPCClient(
                ClientSettings(
                    service: "postern.gateway", host: "127.0.0.1", port: server.port,
                    application: application, keyID: "k1", secret: keys[0]),
                group: group, time: SystemTime(), randomness: SecureRandomness())
            defer { client.close() }
            var metadata = Metadata()
            metadata[Metadata.Key.applicationToken] = token
            metadata[Metadata.Key.idempotencyKey] = "key-1"
            do {
                _ = try await client.call(
                    MethodDescription(
                        name: method, isIdempotent: false, timeout: .seconds(10), isOnLoop: false),
                    packed: .plain([]), client.context(timeout: .seconds(10), metadata: metadata))
                return nil
            } catch {
                return (error as? ServiceError)?.code ?? .internalError
            }
        }
        let methods = fixture.serviceMethods.flatMap(\.description.methods)
        for method in methods where !method.isPublic {
            #expect(await outcome(method.name) == .permissionDenied, "\(method.name)")
        }
        let keySet = "postern.gateway.v1.Verification/GetKeySet"
        #expect(await outcome(keySet) != .permissionDenied)
        for (application, key) in [("app", "app.k1"), ("tool", "tool.k1"), ("app", "web.k1")] {
            let now = SystemTime().now()
            let forged = try ApplicationToken.sign(
                .init(
                    application: application, audience: "http://localhost:7480", issuedAt: now,
                    expiresAt: now + .seconds(60), method: keySet),
                key: keys[0], keyIdentifier: key)
            #expect(await outcome(keySet, token: forged) == .unauthenticated, "\(key)")
            #expect(await outcome(keySet, as: application) == .unauthenticated)
        }
        await server.drain()
        try await group.shutdownGracefully()
    }
}
