import Messages
import RPC
import ServiceRuntime
import Storage

extension PushDevicesHandler {
    /// Deletes all devices of an account.
    func revokeAll(
        _ request: NotificationV1.RevokeDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.RevokeDevicesResponse {
        let account = keys.account(try RequestFields.account(request.accountId))
        let dropped = try await store.write(about: [.hash(account)]) { transaction in
            let dropped = try transaction.dropDevices(ofAccount: account)
            if dropped > 0 {
                try transaction.audit(AuditEvent(.pushDevicesRevoked, subject: account))
            }
            return dropped
        }
        return NotificationV1.RevokeDevicesResponse(dropped: UInt32(clamping: dropped))
    }
}
