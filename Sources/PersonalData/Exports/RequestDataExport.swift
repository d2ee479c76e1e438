import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountExportsHandler {
    /// Orders an export of the caller's account, and returns it at once. One that is prepared or
    /// ready is returned as it is (G-21).
    ///
    /// Attack: somebody with an unlocked phone orders everything that is known of its owner. So it
    /// needs a recent proof, and the archive another one.
    func requestDataExport(
        _ request: GatewayV1.RequestDataExportRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestDataExportResponse {
        let owner = try await owners.require(.standard, in: context)
        let origin = CallOrigin(context, keys)
        let accepted = context.metadata.acceptedVoice
        let id = ExportID.drawn(from: randomness)
        let export = try await store.write(about: [.account(owner.account)]) { transaction in
            let row = try transaction.callersRow(owner.account)
            try transaction.requireLive(owner)
            if let same = try transaction.export(of: row.account, at: transaction.at) {
                return same
            }
            try transaction.requireRoom(
                for: transaction.exportBytes(of: row), of: row.newcomer(at: transaction.at),
                from: origin, within: newcomers)
            let voice = accepted ?? Voice(tag: row.language) ?? .english
            let export = StoredExport(
                id: id, account: row.account, state: .preparing(nextAttemptAt: transaction.at),
                requestedAt: transaction.at, voice: voice.tag, attempts: 0)
            try transaction.insert(export)
            try transaction.audit(.exportRequested, row.account, from: origin)
            return export
        }
        work.wake()
        return GatewayV1.RequestDataExportResponse(dataExport: export.message)
    }
}

extension SQLSession {
    /// What an archive of an account's data takes at most, in bytes, where it is a newcomer's: its
    /// documents and its photo, and what all services have besides.
    fileprivate func exportBytes(of row: AccountRow) throws -> Int {
        let besides = 64 << 10
        let documents = try documentOwner(row.account)?.totals.bytes ?? 0
        let photo = try photo(of: row.account)?.bytes ?? 0
        return besides + Int(documents + photo)
    }
}
