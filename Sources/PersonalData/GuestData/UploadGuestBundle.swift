import Cryptography
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension GuestDataHandler {
    /// Documents of one bundle.
    static let documentsMax = 200
    /// Documents of an account's bundles that are not moved yet. Attack: bundles that no collection
    /// takes stay until the account is deleted, and of the smallest 100,000 fit the bytes.
    static let heldMax = 1_000
    /// Documents, and bytes of JSON, that one transaction stores.
    private static let batchMax = 20
    private static let batchBytesMax = 256 * 1_024

    /// Takes documents that an app kept on the device while its user was a guest, and begins their
    /// migration (G-16): stores them as they arrive, and lets the job begin with the last one. What
    /// a call leaves that breaks off is purged.
    ///
    /// The fingerprint of a repeat covers all documents, so it is known after the last one only.
    /// But that its key is known is seen at the begin, and then nothing is stored again: the
    /// documents of the first call may fill the quota.
    ///
    /// A guest is refused: it writes documents itself.
    func uploadGuestBundle(
        _ incoming: IncomingItems<GatewayV1.UploadGuestBundleRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadGuestBundleItem>, _ call: AccountCall
    ) async throws {
        var items = incoming.makeAsyncIterator()
        guard case .head(let head) = try await items.next()?.part else {
            throw ServiceError(.invalidArgument, fields: ["head"])
        }
        guard (1...Self.documentsMax).contains(Int(head.documents)) else {
            throw ServiceError(.invalidArgument, fields: ["documents"])
        }
        let bundle = try await begin(call, documents: Int(head.documents))
        do {
            let digest = try await receive(
                Int(head.documents), of: bundle, from: call.origin, &items, outgoing)
            let repeatable = try repeatable(call, [Array(call.account.text.utf8), digest])
            let migration =
                if let bundle {
                    try await complete(bundle, repeatable, call.origin)
                } else { try await first(repeatable, of: call.account) }
            try await outgoing.write(
                .init(receivedDocuments: head.documents, migration: migration))
        } catch {
            // If that fails, it is purged.
            if let bundle { try? await remove(bundle) }
            throw error
        }
    }

    /// The call for the store's memory of repeats.
    /// - Parameter parts: what its repeats have in common.
    private func repeatable(
        _ call: AccountCall, _ parts: [[UInt8]]
    ) throws(ServiceError) -> RepeatableCall? {
        try RepeatableCall("UploadGuestBundle", parts, call.context, hash: keys.calls)
    }

    /// - Returns: nil for a call whose key is known.
    private func begin(
        _ call: AccountCall, documents count: Int
    ) async throws -> StoredMigration? {
        let id = MigrationID.drawn(from: randomness)
        let key = try repeatable(call, [])?.key
        return try await store.write(about: [.account(call.account)]) { transaction in
            guard try !transaction.callersRow(call.account).isGuest else {
                throw ServiceError(.accountRequired)
            }
            // No request has this fingerprint. Its own is compared when all has arrived.
            if let key, try transaction.remembered(key: key, fingerprint: []) != .fresh {
                return nil
            }
            let bundle = StoredMigration(
                migration: id, account: call.account, guest: nil, choice: nil, state: .receiving,
                documents: Int64(count), done: 0, sealedPicks: nil, keptUntil: nil,
                createdAt: transaction.at, changedAt: transaction.at)
            try transaction.insert(
                bundle, expiresAt: transaction.at + StoredMigration.receivedWithin)
            return bundle
        }
    }

    /// Stores the documents as they arrive; nothing without a bundle.
    /// - Returns: a hash of all.
    private func receive(
        _ count: Int, of bundle: StoredMigration?, from origin: CallOrigin,
        _ items: inout IncomingItems<GatewayV1.UploadGuestBundleRequest>.AsyncIterator,
        _ outgoing: OutgoingItems<GatewayV1.UploadGuestBundleItem>
    ) async throws -> [UInt8] {
        var (digest, seen, batch, bytes) = ([UInt8](), Set<DocumentKey>(), [MigrationItem](), 0)
        while let item = try await items.next() {
            guard case .document(let message) = item.part, seen.count < count else {
                throw ServiceError(.invalidArgument, fields: ["document"])
            }
            let document = try self.document(message)
            guard seen.insert(document.key).inserted else {
                throw ServiceError(.invalidArgument, fields: ["document.name"])
            }
            digest = SHA256.hash(
                DelimitedParts.joined([digest] + message.parts))
            batch.append(document)
            bytes += document.json.utf8.count
            guard batch.count == Self.batchMax || bytes >= Self.batchBytesMax else { continue }
            if let bundle { try await stage(batch, of: bundle, from: origin) }
            (batch, bytes) = ([], 0)
            guard seen.count < count else { continue }
            try await outgoing.write(.init(receivedDocuments: UInt32(clamping: seen.count)))
        }
        guard seen.count == count else {
            throw ServiceError(.invalidArgument, fields: ["document"])
        }
        if let bundle, !batch.isEmpty { try await stage(batch, of: bundle, from: origin) }
        return digest
    }

    /// A device's clock may be ahead: then its document would be newer than any other for years.
    private func document(
        _ message: GatewayV1.BundledDocument
    ) throws(ServiceError) -> MigrationItem {
        let key = try DocumentKey.required(
            collection: message.collection, name: message.name, in: "document.")
        guard message.changedAtMs >= 0 else {
            throw ServiceError(.invalidArgument, fields: ["document.changed_at_ms"])
        }
        guard DocumentText.object(in: message.json) != nil else {
            throw .invalidDocument(.json, field: "document.json")
        }
        return MigrationItem(
            item: randomness.rowKey(), key: key, json: message.json,
            changedAt: min(
                Timestamp(milliseconds: message.changedAtMs), documents.time.now()))
    }

    /// Stores documents, which are sealed before the transaction.
    /// - Throws: `auth/document-quota`; as `SQLSession.callersRow` and `Transaction.requireRoom`;
    ///   `rpc/unavailable` if the account's key was replaced meanwhile.
    private func stage(
        _ batch: [MigrationItem], of bundle: StoredMigration, from origin: CallOrigin
    ) async throws {
        let bytesMax = Int64(documents.settings.bytesMax)
        let vault = try await store.read { try reader.vault($0.callersRow(bundle.account)) }
        let items = try await offLoop { [batch] in try batch.map(vault.sealed) }
        let bytes = items.reduce(0) { $0 + Int($1.bytes) }
        try await store.write(about: bundle.subjects, bulkBytes: bytes) { transaction in
            let row = try transaction.callersRow(bundle.account)
            guard row.sealedKey == vault.sealedKey else {
                throw ServiceError(.unavailable, detail: "the account's key was replaced")
            }
            try transaction.requireRoom(
                for: bytes + items.count * NewcomerBytes.callBytes,
                of: row.newcomer(at: transaction.at), from: origin,
                within: documents.newcomers)
            let held = try transaction.bundled(of: bundle.account, in: bundle.migration)
            guard held.documents + Int64(items.count) <= Self.heldMax,
                held.bytes + Int64(bytes) <= bytesMax
            else {
                var error = ServiceError(.documentQuota)
                error.documentQuota = ServiceError.DocumentQuota(
                    documents: UInt32(clamping: held.documents),
                    documentsMax: UInt32(clamping: Self.heldMax),
                    bytes: UInt32(clamping: held.bytes), bytesMax: UInt32(clamping: bytesMax))
                throw error
            }
            for item in items {
                try transaction.insert(item, of: bundle, document: nil, issue: nil)
            }
        }
    }

    /// Lets the job begin, or finds the migration of a call that was faster with the same key.
    private func complete(
        _ bundle: StoredMigration, _ call: RepeatableCall?, _ origin: CallOrigin
    ) async throws -> GatewayV1.Migration {
        let migration = try await store.write(about: bundle.subjects) { transaction in
            if let first = try first(call, in: transaction) {
                try transaction.remove(bundle)
                return first
            }
            try transaction.apply(.received, to: bundle)
            try transaction.audit(
                AuditEvent(.guestDataChosen, account: bundle.account.key, attempt: 0)
                    .from(origin))
            try transaction.remember(
                call, .init(account: bundle.account.key, migration: bundle.migration.key))
            return try message(
                Self.migration(bundle.migration, of: bundle.account, in: transaction),
                in: transaction)
        }
        guests.wake()
        watchers.changed(bundle.account)
        return migration
    }

    /// The migration of the first call, for a repeat.
    /// - Throws: `rpc/unavailable` if it was forgotten while the documents arrived.
    private func first(
        _ call: RepeatableCall?, of account: AccountID
    ) async throws -> GatewayV1.Migration {
        try await store.write(about: [.account(account)]) { transaction in
            guard let first = try first(call, in: transaction) else {
                throw ServiceError(.unavailable, detail: "the first call was forgotten meanwhile")
            }
            return first
        }
    }

    /// - Returns: nil if there was no such call.
    private func first(
        _ call: RepeatableCall?, in transaction: Transaction
    ) throws -> GatewayV1.Migration? {
        guard let first = try transaction.storedResponse(of: call) else { return nil }
        guard let id = MigrationID(key: first.migration), let found = try transaction.migration(id)
        else { throw ServiceError(.internalError, detail: "a repeat's migration is gone") }
        return try message(found, in: transaction)
    }

    /// Removes what a refused call has stored; after the commit of `complete` there is nothing to
    /// remove.
    private func remove(_ bundle: StoredMigration) async throws {
        try await store.write(about: bundle.subjects, evenIfCancelled: true) { transaction in
            guard try transaction.migration(bundle.migration)?.state == .receiving else { return }
            try transaction.remove(bundle)
        }
    }
}

extension GatewayV1.BundledDocument {
    /// What makes two documents the same, for repeats.
    fileprivate var parts: [[UInt8]] {
        [collection, name, json, String(changedAtMs)].map { Array($0.utf8) }
    }
}

extension StoredMigration {
    /// How long an upload that broke off is kept: longer than a call can last.
    static let receivedWithin: Duration = .seconds(3_600)
}

extension Transaction {
    /// Deletes a bundle that has not arrived, or is another one's repeat.
    fileprivate func remove(_ bundle: StoredMigration) throws {
        try removeItems(of: bundle.migration)
        try put(
            "DELETE FROM guest_migrations WHERE migration = ?", [.integer(bundle.migration.key)])
    }
}
