import Messages
import RPC
import ServiceRuntime
import Storage

extension PushDevicesHandler {
    /// Deletes one device, or the devices of one session. Idempotent.
    func unregister(
        _ request: NotificationV1.UnregisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UnregisterDeviceResponse {
        let account = keys.account(try RequestFields.account(request.accountId))
        guard request.deviceId.isEmpty != request.sessionId.isEmpty else {
            throw ServiceError(
                .invalidArgument, fields: ["device_id", "session_id"], detail: "give one of them")
        }
        let device = request.deviceId.isEmpty ? nil : try Self.device(request.deviceId)
        let session = try Self.session(request.sessionId).map(keys.devices.session)
        let dropped = try await store.write(about: [.hash(account)]) { transaction in
            if let session {
                return try transaction.dropDevices(ofAccount: account, session: session)
            }
            guard let device, try transaction.device(device.key, ofAccount: account) != nil else {
                return 0
            }
            return try transaction.dropDevice(device)
        }
        return NotificationV1.UnregisterDeviceResponse(dropped: UInt32(clamping: dropped))
    }
}
