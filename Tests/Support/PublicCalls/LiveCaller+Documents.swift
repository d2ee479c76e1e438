import Contracts
package import Messages
import RPC

// Documents, a guest's, and those that a migration brings.

extension LiveCaller {
    package func holds(
        _ documents: [GatewayV1.DocumentWrite], as kind: CallerKind
    ) async throws {
        try await once("\(documents.count) documents of \(kind)") {
            let session = try await self.account(kind)
            for batch in Self.batches(documents) {
                _ = try await self.clients.documents.writeDocuments(
                    .init(writes: batch), self.setUp(session))
            }
        }
    }

    /// Documents in calls that fit a frame.
    private static func batches(
        _ documents: [GatewayV1.DocumentWrite]
    ) -> [[GatewayV1.DocumentWrite]] {
        var (batches, bytes) = ([[GatewayV1.DocumentWrite]](), Int.max)
        for document in documents {
            let own = document.json.utf8.count
            if bytes > 100_000 - own || batches.last?.count == 50 {
                batches.append([])
                bytes = 0
            }
            batches[batches.count - 1].append(document)
            bytes += own
        }
        return batches
    }

    package func collision(_ documents: [GatewayV1.DocumentWrite]) async throws -> String {
        try await holds(documents, as: .owner)
        try await holds(documents, as: .guest)
        return try await once("collision") {
            let answer = try await self.clients.auth.signInWithPassword(
                .init(
                    email: self.email, password: Bound.secret(Bound.password), device: self.own),
                self.setUp(try await self.account(.guest)))
            return answer.collision?.choiceToken ?? ""
        }
    }

    package func migration(_ documents: [GatewayV1.DocumentWrite]) async throws -> String {
        try await holds(Bound.documents(16), as: .owner)
        return try await once("migration") {
            let session = try await self.owner
            let items = try await LiveCallers.send(
                GuestsDescription.uploadGuestBundle,
                Bound.bundle(documents).map { $0.encoded() },
                by: self.callers.client("app"), self.setUp(session))
            let last = try GatewayV1.UploadGuestBundleItem(decoding: items.last ?? [])
            let id = last.migration?.migrationId ?? ""
            let states = self.clients.guests.watchMigration(
                .init(migrationId: id), self.setUp(session))
            for try await _ in states {}
            return id
        }
    }

    package func secondPage() async throws -> String {
        try await clients.documents.listDocuments(
            .init(collection: Bound.collection, withJson: true), setUp(try await owner)
        ).nextPageToken
    }
}
