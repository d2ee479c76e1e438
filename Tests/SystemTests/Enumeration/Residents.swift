import Cryptography
import Foundation
import Messages
import ServiceRuntime
import TestSupport

/// Kinds of addresses that a stranger would like to tell apart.
enum Resident: String, CaseIterable {
    /// No account.
    case unknown
    /// An account with a password hash of Postern's.
    case password
    /// The same with an authenticator app, which a sign-in asks for after the right password.
    case factor
    /// The same, whose address is verified.
    case verified
    /// An account that signs in through a provider only.
    case provider
    /// An account with such a password hash that an operator suspended.
    case suspended
    /// An account whose owner has disowned a sign-in: its password, which is tried, counts no more.
    case disowned
    /// An imported account, with its bcrypt hash.
    case bcrypt
    /// An imported account, with its scrypt hash from Firebase.
    case scrypt

    /// Those without an imported hash: while any is stored, failed sign-ins take as long as its
    /// check.
    static let natives: [Resident] = [
        .unknown, .password, .factor, .provider, .suspended, .disowned,
    ]

    /// Accounts of each kind, which are tried in rotation.
    static let count = 4

    /// The password that a stranger tries.
    var tried: String { self == .disowned ? Person.password : "Wrong7Horse" }

    /// The address of one; all have the same length.
    func email(_ number: Int) -> String {
        "\(rawValue.prefix(3))\(100_000 + number % Self.count)@example.org"
    }
}

/// Creates the accounts behind the addresses.
struct Settlement {
    let cluster: Cluster
    let caller: PlainCaller
    let folder: TemporaryFolder

    /// Creates the accounts of these kinds.
    func settle(_ kinds: [Resident]) async throws {
        let lines = kinds.flatMap { kind in (0..<Resident.count).compactMap { line(kind, $0) } }
        if !lines.isEmpty { try await takeIn(lines, from: "elsewhere") }
        let signingUp: [Resident] = [.password, .factor, .verified, .suspended, .disowned]
        for kind in kinds where signingUp.contains(kind) {
            for number in 0..<Resident.count { try await signUp(kind, number) }
        }
    }

    private func done(_ method: String, _ request: some ProtobufMessage) throws {
        let response = try caller.ask("Auth/\(method)", request).response
        guard response.status == 0 else {
            throw ClusterError(message: "\(method): \(response)")
        }
    }

    /// Verifies the address by the link that was mailed there.
    private func verify(_ email: String) async throws {
        try done(
            "VerifyEmail",
            GatewayV1.VerifyEmailRequest(
                token: try await cluster.mailedToken(to: email),
                password: .init(text: Person.password),
                device: GatewayV1.Device(deviceId: "own", platform: "cli")))
    }

    /// A thief signs in, whom the owner shuts out by the link of the mail about it.
    private func disown(_ email: String) async throws {
        try await verify(email)
        try done(
            "SignInWithPassword",
            GatewayV1.SignInWithPasswordRequest(
                email: email, password: .init(text: Person.password),
                device: GatewayV1.Device(deviceId: "thief", platform: "cli")))
        let start = "/not-me?token="
        var text = ""
        let isThere = try await eventually {
            text = try await cluster.inbox(to: email)
            return text.contains(start)
        }
        guard isThere, let token = text.split(separator: start).last else {
            throw ClusterError(message: "no mail about the sign-in to \(email): \(text)")
        }
        try done(
            "DisownSignIn",
            GatewayV1.DisownSignInRequest(
                token: .init(text: String(token.prefix { !$0.isWhitespace && $0 != "&" }))))
    }

    /// Sets an authenticator app up in a session.
    private func setUpApp(_ accessToken: String?) throws {
        func answer(_ method: String, _ request: some ProtobufMessage) throws -> [UInt8] {
            let response = try caller.ask(
                "SecondFactors/\(method)", request, accessToken: accessToken
            ).response
            guard response.status == 0 else {
                throw ClusterError(message: "\(method): \(response)")
            }
            return response.payload
        }
        let begun = try GatewayV1.BeginTOTPResponse(
            decoding: answer("BeginTOTP", GatewayV1.BeginTOTPRequest()))
        let secret = SecretBytes(copying: Base32.decodeLeniently(begun.secret) ?? [])
        var code = TOTP.code(of: secret, at: TOTP.step(at: SystemTime().now()))
        _ = try answer(
            "ConfirmTOTP",
            GatewayV1.ConfirmTOTPRequest(
                enrollmentToken: begun.enrollmentToken, code: SecretBytes(taking: &code),
                device: GatewayV1.Device(deviceId: "own", platform: "cli")))
    }

    /// Imports accounts, each a line for `postern import jsonl`.
    func takeIn(_ lines: [String], from source: String) async throws {
        let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "\(source).jsonl")
        let run = try await cluster.tool(["import", "jsonl", file, "--source", source])
        guard run.exitCode == 0 else {
            throw ClusterError(message: "not imported: \(run.output)\(run.errors)")
        }
    }

    private func signUp(_ kind: Resident, _ number: Int) async throws {
        let response = try caller.ask(
            "Auth/SignUpWithPassword",
            GatewayV1.SignUpWithPasswordRequest(
                email: kind.email(number), password: .init(text: Person.password),
                device: GatewayV1.Device(deviceId: "own", platform: "cli"))
        ).response
        guard response.status == 0 else {
            throw ClusterError(message: "not signed up: \(response)")
        }
        let signedUp = try GatewayV1.SignUpWithPasswordResponse(decoding: response.payload)
        if kind == .factor { try setUpApp(signedUp.session?.accessToken) }
        if kind == .verified { try await verify(kind.email(number)) }
        if kind == .disowned { try await disown(kind.email(number)) }
        guard kind == .suspended else { return }
        let run = try await cluster.tool([
            "accounts", "suspend", signedUp.account?.accountId ?? "", "--reason", "a test",
        ])
        guard run.exitCode == 0 else { throw ClusterError(message: "not suspended: \(run.errors)") }
    }

    /// The import line of an address; nil if there is no account, or one that signs up here.
    private func line(_ kind: Resident, _ number: Int) -> String? {
        let head = """
            {"external_id":"\(kind) \(number)","email":"\(kind.email(number))","email_verified":true
            """
        switch kind {
        case .unknown, .password, .factor, .verified, .suspended, .disowned: return nil
        case .provider:
            return """
                \(head),"identities":[{"method":"google","issuer":"https://accounts.google.com",\
                "subject":"117\(number)"}]}
                """
        case .bcrypt:
            let text = "$2b$10$" + String(repeating: "a", count: 21) + "u"
            return "\(head),\"password_hash\":\"\(text)\(String(repeating: "Z", count: 31))\"}"
        case .scrypt:
            let (salt, hash) = (Self.bytes(16), Self.bytes(64))
            let text = "$firebase-scrypt$m=14,r=8$k=1$\(salt)$\(hash)"
            let parameters = """
                {"hash_parameters":{"parameters_id":1,"signer_key":"\(Self.bytes(64))==",\
                "salt_separator":"Bw=="}}
                """
            let line = "\(head),\"password_hash\":\"\(text)\"}"
            return number == 0 ? "\(parameters)\n\(line)" : line
        }
    }

    /// `count` bytes in Base64, without padding.
    private static func bytes(_ count: Int) -> String {
        String(Base64.encode([UInt8](repeating: 7, count: count)).prefix { $0 != "=" })
    }
}
