import Messages
import RPC
import ServiceRuntime
import Storage

extension PushDevicesHandler {
    /// Replaces a device's token.
    func update(
        _ request: NotificationV1.UpdateDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UpdateDeviceResponse {
        let account = keys.account(try RequestFields.account(request.accountId))
        let id = try Self.device(request.deviceId)
        try await store.write(about: [.hash(account)]) { transaction in
            guard let known = try transaction.device(id.key, ofAccount: account) else {
                throw ServiceError(.notFound, fields: ["device_id"])
            }
            guard let token = known.platform.token(request.token) else {
                throw ServiceError(.invalidArgument, fields: ["token"])
            }
            let hash = keys.devices.token(token, on: known.platform)
            let other = try transaction.locked {
                try transaction.device(token: hash)
            } about: {
                .hash($0.account)
            }
            if let other, other.id != id {
                try transaction.dropDevice(other.id)
            }
            let sealed = try keys.devices.seal(token, of: id)
            try transaction.replaceToken(of: id, by: sealed, hash: hash)
        }
        return NotificationV1.UpdateDeviceResponse()
    }
}
