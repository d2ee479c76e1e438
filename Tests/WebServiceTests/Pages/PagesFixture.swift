import Contracts
import Cryptography
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

@testable import WebService

/// The web service with its pages on, in front of a server in the gateway's place.
struct PagesFixture: Sendable {
    /// An app's redirect URI.
    static let redirectURI = "https://shop.example.org/signed-in?from=mail"

    let client: HTTP1Client
    let gateway: PagesGateway

    /// Runs `body`, then stops everything.
    static func run(_ body: @Sendable (PagesFixture) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await run(group, body)
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private static func run(
        _ group: MultiThreadedEventLoopGroup,
        _ body: @Sendable (PagesFixture) async throws -> Void
    ) async throws {
        let (folder, gateway) = (try TemporaryFolder(), PagesGateway())
        let key = KeyedHash(key: SecretBytes(count: 32) { $0.copyBytes(from: 100..<132) })
        let server = try await RPCServer.start(
            ServerSettings(service: "postern.gateway", host: "127.0.0.1", port: 0),
            services: gateway.services,
            applications: Applications(
                name: "web", keyID: "k1", key: key, mayAssertClientAddress: true),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: CapturedLog().logger())
        let client = RPCClient(
            ClientSettings(
                service: "postern.gateway", host: "127.0.0.1", port: server.port,
                application: "web", keyID: "k1", secret: key),
            group: group, time: SystemTime(), randomness: SecureRandomness())
        let settings = try settings(folder)
        let service = try WebService(
            settings: settings, gateway: client, streams: client,
            pageKey: SecretBytes(copying: [UInt8](repeating: 7, count: 32)), time: SystemTime(),
            randomness: SecureRandomness(), logger: CapturedLog().logger())
        let listener = try await WebListener.start(
            WebListenerSettings(host: "127.0.0.1", port: 0), group: group, time: SystemTime(),
            randomness: SecureRandomness(), logger: CapturedLog().logger(),
            responder: try service.responder { (true, "") })
        try await body(
            PagesFixture(
                client: HTTP1Client(group: group, port: listener.port), gateway: gateway))
        await listener.drain()
        client.close()
        await server.drain()
    }

    private static func settings(_ folder: TemporaryFolder) throws -> WebSettings {
        let apps = try folder.write(
            """
            shop-web:
              key: \(AppsFixture.webKey)
              platforms: [web]
              origins: [https://shop.example.org]
              redirect-uris: ["\(redirectURI)"]
            """, to: "apps.yaml")
        return try SettingsLoader.settings(["--pages=on", "--apps-file=\(apps)"])
    }

    // MARK: A browser

    /// Follows a link of a mail to its form.
    /// - Parameter query: What follows the path, for example `token=abc`.
    func open(
        _ page: Page, _ query: String = "token=good", language: String = "en"
    ) async throws -> OpenPage {
        let moved = try await get("\(page.path)?\(query)", language: language)
        let cookie = moved.cookie
        let clean = try await get(
            moved.fields["location"] ?? "", cookie: cookie, language: language)
        return OpenPage(page: page, cookie: clean.cookie ?? cookie ?? "", response: clean)
    }

    func get(
        _ path: String, cookie: String? = nil, language: String = "en", method: String = "GET"
    ) async throws -> HTTP1Response {
        var fields = ["accept-language": language]
        fields["cookie"] = cookie
        return try await client.send("\(method) \(path) HTTP/1.1", [], fields)
    }

    /// Sends the form of a page, as a browser does.
    func submit(
        _ open: OpenPage, _ input: String, _ changed: [String: String?] = [:]
    ) async throws -> HTTP1Response {
        let field = open.page.field.map { "&\($0.rawValue)=\(input.percentEncoded)" } ?? ""
        return try await post(open, "form=\(open.formToken)\(field)", changed)
    }

    /// Presses a button of `/delete-account` with the link of a mail.
    func press(_ choice: String?, on open: OpenPage) async throws -> HTTP1Response {
        let pressed = choice.map { "&choice=\($0)&confirmation=\(open.confirmation)" } ?? ""
        return try await post(open, "form=\(open.formToken)\(pressed)", [:])
    }

    /// Presses a button of `/parent`.
    func answer(_ answer: String, on open: OpenPage) async throws -> HTTP1Response {
        try await post(open, "form=\(open.formToken)&answer=\(answer)", [:])
    }

    /// Sends a form's fields, already encoded, as a browser does.
    func post(
        _ open: OpenPage, _ form: String, _ changed: [String: String?]
    ) async throws -> HTTP1Response {
        let body = Array(form.utf8)
        var fields = [
            "content-type": "application/x-www-form-urlencoded",
            "content-length": "\(body.count)", "cookie": open.cookie, "origin": "null",
            "sec-fetch-site": "same-origin", "accept-language": "en",
        ]
        for (name, value) in changed { fields[name] = value }
        return try await client.send("POST \(open.action) HTTP/1.1", body, fields)
    }
}

extension String {
    /// As the value of a form's field.
    fileprivate var percentEncoded: String {
        utf8.map { byte in
            let isPlain = Character(UnicodeScalar(byte)).isLetter && byte < 128
            let hex = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%\(hex.count == 1 ? "0" : "")\(hex)"
        }.joined()
    }
}

/// The gateway's methods that pages call. A link with the token `used` does not work, one with the
/// token `late` does not when it is used; one with the token `exported` is of an account with an
/// export, `waiting` of one whose deletion waits, and `given` of a parent who has consented. The
/// password `wrong` is refused, and after the password `factor` a second proof is needed, after `key`
/// one that a page cannot take.
final class PagesGateway: Sendable {
    /// The app's name, which is asked for beside the calls.
    static let appName = "Tea & <Cake>"
    /// The rules for new passwords.
    static let passwordRules: [GatewayV1.PasswordRule] = [
        .init(rule: "length", minimum: 8, maximum: 128), .init(rule: "digit"),
        .init(rule: "common"),
    ]
    /// When something that waits is due: 5 December 2026, 14:00 UTC.
    static let due = Timestamp(milliseconds: 1_796_479_200_000)
    private static let waiting = GatewayV1.Deletion(
        state: .waiting, dueAtMs: due.milliseconds)

    /// A call that it received.
    struct Call: Hashable {
        let method: String
        let token: String
        let input: String
        let context: [String: String]
    }

    private let received = Mutex<[Call]>([])
    /// The links that were described, which changes nothing.
    let described = Mutex<[Described]>([])
    /// The account of all sessions.
    let account = Mutex(Account())

    /// All calls so far, but those that describe a link.
    var calls: [Call] { received.withLock { $0 } }

    var services: [ServiceMethods] {
        [
            ServiceMethods(
                AuthDescription.service,
                [
                    .async(AuthDescription.verifyEmail) {
                        (request: GatewayV1.VerifyEmailRequest, context)
                            -> GatewayV1.VerifyEmailResponse in
                        try self.receive("VerifyEmail", request.token, request.password, context)
                        return GatewayV1.VerifyEmailResponse()
                    },
                    .async(AuthDescription.signInWithPassword) {
                        (request: GatewayV1.SignInWithPasswordRequest, context)
                            -> GatewayV1.SignInWithPasswordResponse in
                        try self.receive(
                            "SignInWithPassword", request.email, request.password, context,
                            on: request.device)
                        return GatewayV1.SignInWithPasswordResponse(
                            account: GatewayV1.Account(email: request.email),
                            session: Self.session)
                    },
                    .async(AuthDescription.signOut) {
                        (request: GatewayV1.SignOutRequest, context) -> GatewayV1.SignOutResponse
                        in
                        let bearer = context.metadata[Metadata.Key.authorization] ?? ""
                        try self.receive(
                            "SignOut", request.refreshToken + bearer, SecretBytes(""), context)
                        return GatewayV1.SignOutResponse()
                    },
                    .async(AuthDescription.disownSignIn) {
                        (request: GatewayV1.DisownSignInRequest, context)
                            -> GatewayV1.DisownSignInResponse in
                        try self.receive(
                            "DisownSignIn", Self.text(request.token), SecretBytes(""), context)
                        return GatewayV1.DisownSignInResponse()
                    },
                    .async(AuthDescription.describeLink) {
                        (request: GatewayV1.DescribeLinkRequest, _)
                            -> GatewayV1.DescribeLinkResponse in
                        try self.describe(request)
                    },
                ]),
            ServiceMethods(
                EmailsDescription.service,
                [
                    .async(EmailsDescription.confirmEmailChange) {
                        (request: GatewayV1.ConfirmEmailChangeRequest, context)
                            -> GatewayV1.ConfirmEmailChangeResponse in
                        try self.receive(
                            "ConfirmEmailChange", request.token, request.password, context)
                        return GatewayV1.ConfirmEmailChangeResponse()
                    },
                    correction,
                ]),
            options, passwords, deletion, exports, consents, challenges, factors, sessions,
            passkeys,
            phones,
        ]
    }

    private var options: ServiceMethods {
        ServiceMethods(
            SignInOptionsDescription.service,
            [
                .async(SignInOptionsDescription.getSignInOptions) {
                    (_: GatewayV1.GetSignInOptionsRequest, _)
                        -> GatewayV1.GetSignInOptionsResponse in
                    self.account.withLock {
                        GatewayV1.GetSignInOptionsResponse(
                            password: $0.hasPasswords
                                ? .init(rules: Self.passwordRules) : nil,
                            phone: $0.phoneOptions, providers: $0.providers,
                            appName: Self.appName, secondFactors: .init(kinds: ["totp"]),
                            passkeys: $0.passkeyOptions)
                    }
                }
            ])
    }

    private var deletion: ServiceMethods {
        ServiceMethods(
            AccountDeletionDescription.service,
            [
                .async(AccountDeletionDescription.requestDeletionLink) {
                    (request: GatewayV1.RequestDeletionLinkRequest, context)
                        -> GatewayV1.RequestDeletionLinkResponse in
                    try self.receive("RequestDeletionLink", "", SecretBytes(request.email), context)
                    return GatewayV1.RequestDeletionLinkResponse()
                },
                .async(AccountDeletionDescription.previewDeletion) {
                    (request: GatewayV1.PreviewDeletionRequest, context)
                        -> GatewayV1.PreviewDeletionResponse in
                    try self.receive(
                        "PreviewDeletion", Self.text(request.linkToken), SecretBytes(""), context)
                    let kind = Self.text(request.linkToken) == "exported" ? "export" : "account"
                    return GatewayV1.PreviewDeletionResponse(
                        consequences: [.init(kind: kind, sentence: "All <of it> is gone.")],
                        confirmationToken: "confirmed", waitSeconds: 7 * 86_400,
                        deletion: Self.text(request.linkToken) == "waiting"
                            ? Self.waiting : nil)
                },
                .async(AccountDeletionDescription.requestDeletion) {
                    (request: GatewayV1.RequestDeletionRequest, context)
                        -> GatewayV1.RequestDeletionResponse in
                    try self.receive(
                        "RequestDeletion", Self.text(request.linkToken),
                        SecretBytes(request.confirmationToken), context)
                    guard request.confirmationToken == "confirmed" else {
                        throw ServiceError(.invalidConfirmation)
                    }
                    return GatewayV1.RequestDeletionResponse(
                        deletion: request.wait
                            ? Self.waiting : GatewayV1.Deletion(state: .deleting))
                },
                .async(AccountDeletionDescription.cancelDeletion) {
                    (request: GatewayV1.CancelDeletionRequest, context)
                        -> GatewayV1.CancelDeletionResponse in
                    try self.receive(
                        "CancelDeletion", Self.text(request.linkToken), SecretBytes(""), context)
                    return GatewayV1.CancelDeletionResponse(cancelled: true)
                },
            ])
    }

    static func text(_ secret: SecretBytes) -> String {
        secret.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    private var passwords: ServiceMethods {
        ServiceMethods(
            PasswordsDescription.service,
            [
                .async(PasswordsDescription.resetPassword) {
                    (request: GatewayV1.ResetPasswordRequest, context)
                        -> GatewayV1.ResetPasswordResponse in
                    try self.receive(
                        "ResetPassword", request.token, request.password, context,
                        on: request.device)
                    return GatewayV1.ResetPasswordResponse(session: Self.session)
                },
                .async(PasswordsDescription.requestPasswordReset) {
                    (request: GatewayV1.RequestPasswordResetRequest, context)
                        -> GatewayV1.RequestPasswordResetResponse in
                    try self.receive(
                        "RequestPasswordReset", "", SecretBytes(request.email), context)
                    return GatewayV1.RequestPasswordResetResponse()
                },
            ])
    }

    func receive(
        _ method: String, _ token: String, _ input: SecretBytes, _ context: CallContext,
        on device: GatewayV1.Device? = nil
    ) throws {
        let text = input.withBytes { String(decoding: $0, as: UTF8.self) }
        var metadata: [String: String] = [:]
        for entry in context.metadata.entries {
            metadata[entry.key] = context.metadata[entry.key]
        }
        if let device {
            metadata["device"] = device.deviceId
            metadata["brief"] = "\(device.brief)"
        }
        received.withLock {
            $0.append(Call(method: method, token: token, input: text, context: metadata))
        }
        switch (token, text) {
        case ("used", _), ("late", _): throw ServiceError(.invalidLink)
        case ("repeated", _): throw ServiceError.sessionEnded(.signedOut)
        case (_, "wrong"): throw ServiceError(.invalidCredential).worded(in: context.voice)
        case (_, "needed"): throw ServiceError(.passwordNeeded)
        case (_, "factor"): throw Self.secondProof(Self.kinds)
        case (_, "key"): throw Self.secondProof(["passkey", "provider_token"])
        case (_, "weak"): throw ServiceError.weakPassword([.length, .common], field: "password")
        case (_, "often"): throw ServiceError(.tooManyRequests, retryAfter: .milliseconds(1_001))
        default: return
        }
    }
}

extension CallContext {
    fileprivate var voice: Voice { metadata.voice }
}
