import Contracts
import Cryptography
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("The methods that browsers and phones may call", .timeLimit(.minutes(1)))
struct PublicMethodSetTests {
    private static let expected: Set<String> = Set(
        [
            "AccountDeletion/CancelDeletion", "AccountDeletion/GetDeletion",
            "AccountDeletion/PreviewDeletion", "AccountDeletion/RequestDeletion",
            "AccountDeletion/RequestDeletionLink",
            "AccountSessions/EndOtherSessions", "AccountSessions/EndSession",
            "AccountSessions/ListSessions", "AccountSessions/NoteActivity",
            "AccountSessions/Reauthenticate",
            "Auth/CheckAuthState", "Auth/RefreshSession", "Auth/SignInWithPassword",
            "Auth/SignOut", "Auth/SignUpWithPassword", "Auth/VerifyEmail",
            "Consents/AcceptTerms", "Consents/AnswerParentalConsent", "Consents/GetConsents",
            "Consents/GetPrivacy", "Consents/RequestParentalConsent", "Consents/SetPrivacy",
            "Consents/WithdrawConsent",
            "DataExports/CancelDataExport", "DataExports/FetchDataExport",
            "DataExports/GetDataExport", "DataExports/RequestDataExport",
            "DataExports/WatchDataExport",
            "Documents/ListDocuments", "Documents/ReadDocument", "Documents/RemoveDocument",
            "Documents/WatchDocuments", "Documents/WriteDocument", "Documents/WriteDocuments",
            "Emails/CancelEmailChange", "Emails/ConfirmEmailChange", "Emails/RequestEmailChange",
            "Emails/ResendVerificationByPassword", "Emails/ResendVerificationEmail",
            "Guests/ChooseGuestData", "Guests/CompareGuest", "Guests/GetMigration",
            "Guests/RetryMigration", "Guests/SignInAsGuest", "Guests/UploadGuestBundle",
            "Guests/WatchMigration",
            "Onboarding/CompleteOnboarding", "Onboarding/GetOnboarding",
            "Onboarding/HasCompletedOnboarding", "Onboarding/RestartOnboarding",
            "Onboarding/SaveOnboardingSection",
            "Passwords/ChangePassword", "Passwords/RequestPasswordReset",
            "Passwords/ResetPassword",
            "PhoneSignIn/LinkPhone", "PhoneSignIn/RequestPhoneCode",
            "PhoneSignIn/RequestSignInCode", "PhoneSignIn/SignInWithPhoneCode",
            "Profile/DownloadPhoto", "Profile/GetProfile", "Profile/RemovePhoto",
            "Profile/UpdateProfile", "Profile/UploadPhoto",
            "ProviderNotices/DescribeProviderOutcome", "ProviderNotices/ReceiveProviderNotice",
            "Providers/IssueNonce",
            "Providers/SignInWithProvider", "SignInMethods/LinkProvider",
            "SignInMethods/ListSignInMethods", "SignInMethods/UnlinkMethod",
            "SignInOptions/CheckPassword", "SignInOptions/GetSignInOptions",
            "Verification/GetKeySet",
        ].map { "postern.gateway.v1.\($0)" })

    @Test("the public methods are exactly these, in the server's table and in the descriptors")
    func exact() async throws {
        let services = try await GatewayFixture().serviceMethods.map(\.description)
        let methods = services.flatMap(\.methods)
        #expect(Set(methods.filter(\.isPublic).map(\.name)) == Self.expected)
        #expect(methods.allSatisfy { !$0.isPublic || !$0.isForNamedCallersOnly })
        for service in services {
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
        let names = fixture.serviceMethods.flatMap(\.description.methods).map(\.name)
        for name in names where !Self.expected.contains(name) {
            #expect(await outcome(name) == .permissionDenied, "\(name)")
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
