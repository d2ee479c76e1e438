import Cryptography
import Foundation
import RPC
import ServiceRuntime
import TestSupport

/// A backend that creates and changes accounts (I-10), with `curl` and a key of its own: each call
/// has two tokens, one for its body and one in it, as `Tests/Interop/examples/backend_accounts.py`
/// makes them.
struct AccountsBackend {
    /// The settings of the programs.
    static let settings = ["POSTERN_ACCOUNT_MANAGERS": name]
    private static let name = "crm"

    private let web: WebClient
    private let key: Ed25519SigningKey
    private let keyID: String

    /// Adds the backend to a cluster with `settings`.
    init(_ cluster: Cluster) async throws {
        let added = try await cluster.postern([
            "applications", "add", Self.name, "--server", "gateway", "--server", "identity",
            "--method", "postern.gateway.v1.BackendAccounts/*", "--data", cluster.data,
        ])
        guard added.exitCode == 0 else { throw ClusterError(message: added.errors) }
        let own = try ApplicationKey.first(
            of: Self.name, in: "\(cluster.data)/keys/applications")
        guard let key = own.key as? Ed25519SigningKey else {
            throw ClusterError(message: "the backend has no Ed25519 key")
        }
        (web, self.key, keyID) = (try WebClient(cluster), key, own.keyID)
    }

    /// Calls an rpc of `BackendAccounts`, until the servers know the backend's key.
    /// - Parameter fields: All fields after `call`, in the order of their numbers; nil if absent.
    func call(
        _ rpc: String, of account: String = "", _ fields: KeyValuePairs<String, Any?>
    ) async throws -> WebClient.Response {
        var response: WebClient.Response?
        _ = try await eventually(within: .seconds(30)) {
            response = try await send(rpc, account, fields)
            return response?.status != 401
        }
        guard let response else { throw ClusterError(message: "\(rpc) was not called") }
        return response
    }

    private func send(
        _ rpc: String, _ account: String, _ fields: KeyValuePairs<String, Any?>
    ) async throws -> WebClient.Response {
        let method = "postern.gateway.v1.BackendAccounts/\(rpc)"
        let idempotencyKey = "\(rpc)-\(Hex.encode(SecureRandomness().bytes(16)))"
        let head = ["postern accounts v1", account, Self.name].map { Array($0.utf8) }
        let parts = try head + fields.map { try Self.part($0.value) }
        var request: [String: Any] = [
            "call": [
                "accountId": account, "actor": Self.name,
                "applicationToken": try token(
                    method, DelimitedParts.joined(parts), idempotencyKey),
            ]
        ]
        for (field, value) in fields { request[field] = value }
        let body = try JSONSerialization.data(withJSONObject: request, options: [.sortedKeys])
        let headers = [
            "content-type: application/json", "idempotency-key: \(idempotencyKey)",
            "x-postern-app: \(try token(method, Array(body), idempotencyKey))",
        ]
        return try await web.curl(
            "/\(method)",
            headers.flatMap { ["--header", $0] } + [
                "--data", String(decoding: body, as: UTF8.self),
            ])
    }

    /// A field as the token covers it: 0 if it is absent, else 1 and its value.
    private static func part(_ value: Any?) throws -> [UInt8] {
        switch value {
        case nil: [0]
        case let text as String: [1] + Array(text.utf8)
        case .some(let other):
            [1]
                + Array(
                    try JSONSerialization.data(withJSONObject: other, options: .fragmentsAllowed))
        }
    }

    private func token(
        _ method: String, _ signed: [UInt8], _ idempotencyKey: String
    ) throws -> String {
        let now = SystemTime().now()
        return try ApplicationToken.sign(
            .init(
                application: Self.name, audience: web.url, issuedAt: now,
                expiresAt: now + .seconds(60), method: method,
                bodyHash: ApplicationToken.bodyHash(of: signed), idempotencyKey: idempotencyKey),
            key: key, keyIdentifier: "\(Self.name).\(keyID)")
    }
}
