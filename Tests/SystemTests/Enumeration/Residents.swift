import Cryptography
import Foundation
import Messages
import TestSupport

/// Addresses of which a stranger would like to know what is behind them.
enum Resident: String, CaseIterable {
    /// Nobody.
    case unknown
    /// An account with a password of ours.
    case password
    /// One that signs in by a provider alone.
    case provider
    /// One with a password of ours that an operator has stopped.
    case suspended
    /// One that came from elsewhere, with the password that it had there.
    case bcrypt
    /// The same, out of Firebase.
    case scrypt

    /// Those without a hash from elsewhere: while any is stored, failed sign-ins take their slot.
    static let natives: [Resident] = [.unknown, .password, .provider, .suspended]

    /// Of each kind so many, asked about in turns.
    static let count = 4

    /// The address of one; all have the same length.
    func email(_ number: Int) -> String {
        "\(rawValue.prefix(3))\(100_000 + number % Self.count)@example.org"
    }
}

/// Makes the accounts behind the addresses.
struct Settlement {
    let cluster: Cluster
    let caller: PlainCaller
    let folder: TemporaryFolder

    /// Makes those of these kinds.
    func settle(_ kinds: [Resident]) async throws {
        let lines = kinds.flatMap { kind in (0..<Resident.count).compactMap { line(kind, $0) } }
        if !lines.isEmpty { try await takeIn(lines, from: "elsewhere") }
        for kind in kinds where kind == .password || kind == .suspended {
            for number in 0..<Resident.count { try await signUp(kind, number) }
        }
    }

    /// Takes accounts in, each a line of `postern import jsonl`.
    func takeIn(_ lines: [String], from source: String) async throws {
        let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "\(source).jsonl")
        let run = try await cluster.tool(["import", "jsonl", file, "--source", source])
        guard run.exitCode == 0 else {
            throw ClusterError(said: "not taken in: \(run.output)\(run.errors)")
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
            throw ClusterError(said: "not signed up: \(response)")
        }
        guard kind == .suspended else { return }
        let account = try GatewayV1.SignUpWithPasswordResponse(decoding: response.payload).account
        let run = try await cluster.tool([
            "accounts", "suspend", account?.accountId ?? "", "--reason", "a test",
        ])
        guard run.exitCode == 0 else { throw ClusterError(said: "not suspended: \(run.errors)") }
    }

    /// What is behind an address from elsewhere; nil where nothing is, or an account of ours.
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

    /// So many bytes in Base64 without padding.
    private static func bytes(_ count: Int) -> String {
        String(Base64.encode([UInt8](repeating: 7, count: count)).prefix { $0 != "=" })
    }
}
