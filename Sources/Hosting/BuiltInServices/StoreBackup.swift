import Contracts
package import Messages
package import RPC
import ServiceRuntime
package import Storage
import Synchronization

/// Backups of a service's store while it runs (`postern backup`), in every service that has one.
///
///     hold commits ─▶ open a snapshot and the journals' files ─▶ `held` ─▶ the hold ends
///                                                                  │
///     the stream ends ◀─ files in parts of 64 KiB ◀─ copy the snapshot, check its pages
///
/// Blobs are kept from before the snapshot until they are sent, so each row of it has its own.
///
/// A caller that stops reading delays only its own stream: the snapshot has ended by then, and the
/// copy is a file without a name, which is gone when the call is.
package struct StoreBackup: BackupService {
    /// The bytes in one item: half of what a frame may have.
    static let itemBytes = 64 * 1_024

    private let store: Store
    private let journals: [String]
    private let blobs: BlobFolder?
    private let turn = Turn()

    /// For the service of `store`.
    /// - Parameters:
    ///   - journals: the names of the journals in the store's folder.
    ///   - blobs: the blobs that its rows name; nil for a service without any.
    package init(_ store: Store, journals: [String], blobs: BlobFolder? = nil) {
        self.store = store
        self.journals = journals
        self.blobs = blobs
    }

    /// Copies the store.
    package func copyStore(
        _ request: BackupV1.CopyStoreRequest, _ items: OutgoingItems<BackupV1.CopyStoreItem>,
        _ context: CallContext
    ) async throws {
        try context.requireOperator()
        let hold = Duration.milliseconds(Int64(request.holdMs))
        guard hold > .zero, hold <= Store.holdMax else {
            throw ServiceError(.invalidArgument, fields: ["hold_ms"])
        }
        guard turn.begin() else {
            throw ServiceError(.resourceExhausted, detail: "another backup copies the store")
        }
        defer { turn.end() }
        blobs?.beginCopy()
        defer { blobs?.endCopy() }
        let snapshot = try await store.snapshot(holdingCommitsFor: hold)
        let journals = try journals.flatMap {
            try Journal.openFiles(of: $0, in: store.folder)
        }
        try await items.write(.init(part: .held(description(of: snapshot))))
        for file in [try await snapshot.copied()] + journals {
            try await Self.send(file, items)
        }
        for name in try await blobs?.names() ?? [] {
            // One at a time, since there may be more of them than a process may open.
            if let file = try await blobs?.openFile(name) { try await Self.send(file, items) }
        }
    }

    /// Records a backup that the caller has on disk.
    package func recordBackup(
        _ request: BackupV1.RecordBackupRequest, _ context: CallContext
    ) async throws -> BackupV1.RecordBackupResponse {
        try context.requireOperator()
        try await store.recordBackup(bytes: Int(clamping: request.bytes))
        return BackupV1.RecordBackupResponse()
    }

    private func description(of snapshot: StoreSnapshot) -> BackupV1.StoreHeld {
        BackupV1.StoreHeld(
            store: store.name, keyId: snapshot.keyCheck.map(ServiceHost.keyID) ?? "",
            storageSchema: UInt32(clamping: snapshot.schema["storage"] ?? 0),
            serviceSchema: UInt32(clamping: snapshot.schema["service"] ?? 0))
    }

    private static func send(
        _ file: OpenFile, _ items: OutgoingItems<BackupV1.CopyStoreItem>
    ) async throws {
        try await items.write(
            .init(part: .file(.init(name: file.name, bytes: Int64(file.bytes)))))
        for offset in stride(from: 0, to: file.bytes, by: itemBytes) {
            try Task.checkCancellation()
            try await items.write(.init(part: .data(file.read(itemBytes, at: offset))))
        }
    }

    /// Permits one copy at a time.
    private final class Turn: Sendable {
        private let isTaken = Atomic<Bool>(false)

        func begin() -> Bool { !isTaken.exchange(true, ordering: .acquiring) }

        func end() { isTaken.store(false, ordering: .releasing) }
    }
}
