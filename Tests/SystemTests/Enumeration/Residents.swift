import Cryptography
import Foundation
import Messages
import TestSupport

/// Kinds of addresses that a stranger would like to tell apart.
enum Resident: String, CaseIterable {
    /// No account.
    case unknown
    /// An account with a password hash of Postern's.
    case password
    /// An account that signs in through a provider only.
    case provider
    /// An account with such a password hash that an operator suspended.
    case suspended
    /// An imported account, with its bcrypt hash.
    case bcrypt
    /// An imported account, with its scrypt hash from Firebase.
    case scrypt

    /// Those without an imported hash: while any is stored, failed sign-ins take as long as its
    /// check.
    static let natives: [Resident] = [.unknown, .password, .provider, .suspended]

    /// Accounts of each kind, which are tried in rotation.
    static let count = 4

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
        for kind in kinds where kind == .password || kind == .suspended {
            for number in 0..<Resident.count { try await signUp(kind, number) }
        }
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
        guard kind == .suspended else { return }
        let account = try GatewayV1.SignUpWithPasswordResponse(decoding: response.payload).account
        let run = try await cluster.tool([
            "accounts", "suspend", account?.accountId ?? "", "--reason", "a test",
        ])
        guard run.exitCode == 0 else { throw ClusterError(message: "not suspended: \(run.errors)") }
    }

    /// The import line of an address; nil if there is no account, or one that signs up here.
    private func line(_ kind: Resident, _ number: Int) -> String? {
        let head = """
            {"external_id":"\(kind) \(number)","email":"\(kind.email(number))","email_verified":true
            """
        switch kind {
        case .unknown, .password, .suspended: return nil
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
