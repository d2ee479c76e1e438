import Messages
import RPC
import ServiceRuntime
import Storage

extension PushDevicesHandler {
    /// Replaces a device's token.
    ///
    /// Attack: a thief's session replaces the token of the owner's device, whose session stays when
    /// the thief's is ended. So a device can be required to be of the session.
    func update(
        _ request: NotificationV1.UpdateDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UpdateDeviceResponse {
        let account = keys.account(try RequestFields.account(request.accountId))
        let id = try Self.device(request.deviceId)
        let session = try Self.session(request.sessionId).map(keys.devices.session)
        let device = try await store.write(about: [.hash(account)]) { transaction in
            guard var known = try transaction.device(id.key, ofAccount: account),
                session == nil || known.session == session
            else { throw ServiceError(.notFound, fields: ["device_id"]) }
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
            known.seenAt = transaction.at
            return known
        }
        return NotificationV1.UpdateDeviceResponse(device: device.shown(to: session))
    }
}
