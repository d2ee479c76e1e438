import Contracts
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// What an app does about a guest's data.
extension SignedInApp {
    /// The JSON of all documents but the drafts, by collection and name.
    func contents() async throws -> [String: String] {
        let list = try await retried {
            try await backend.documents.listDocuments(.init(withJson: true), context()).documents
        }
        return Dictionary(
            list.filter { $0.collection != "onboarding" }.map {
                ("\($0.collection)/\($0.name)", $0.json)
            }
        ) { _, _ in "twice" }
    }

    /// Whether the session is live.
    func isSignedIn() async throws -> Bool {
        try await retried { try await state().authenticated }
    }

    /// A migration of the account, as soon as it has ended or needs attention.
    /// - Parameter id: empty for the latest.
    func ended(_ id: String = "") async throws -> GatewayV1.Migration {
        var migration = GatewayV1.Migration()
        let hasEnded = try await eventually(within: .seconds(30)) {
            let answer = try await retried {
                try await backend.guests.getMigration(.init(migrationId: id), context())
            }
            migration = answer.migration ?? migration
            return [.succeeded, .needsAttention].contains(migration.state)
        }
        guard hasEnded else { throw ClusterError(message: "it never ends: \(migration)") }
        return migration
    }

    /// The states of a migration until it ends, as its stream has them.
    func states(of id: String) async throws -> [GatewayV1.MigrationState] {
        var states: [GatewayV1.MigrationState] = []
        let items = backend.guests.watchMigration(.init(migrationId: id), context())
        for try await item in items { states.append(item.migration?.state ?? .init(rawValue: 0)) }
        return states
    }
}

/// What `PUT /v1/guest-bundle` returns; a field with its default value is absent.
struct UploadedBundle: Decodable {
    let migrationId: String
    let documents: Int?
}

extension WebClient {
    /// `PUT /v1/guest-bundle` in the session of a context.
    /// - Parameter documents: each with its members.
    func putGuestBundle(
        _ documents: [[String: Any]], _ context: CallContext
    ) async throws -> UploadedBundle {
        let json = try JSONSerialization.data(withJSONObject: ["documents": documents])
        let response = try await curl(
            "/v1/guest-bundle",
            options(context) + [
                "--request", "PUT", "--header", "content-type: application/json", "--data-raw",
                String(decoding: json, as: UTF8.self),
            ])
        guard response.status == 200 else { throw try response.failure() }
        return try response.read()
    }
}
