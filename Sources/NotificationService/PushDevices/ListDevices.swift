import Messages
import RPC
import ServiceRuntime
import Storage

extension PushDevicesHandler {
    /// Lists an account's devices, without their tokens.
    func list(
        _ request: NotificationV1.ListDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListDevicesResponse {
        let account = keys.account(try RequestFields.account(request.accountId))
        let devices = try await store.read { try $0.devices(ofAccount: account) }
        return NotificationV1.ListDevicesResponse(
            devices: devices.map { device in
                NotificationV1.PushDevice(
                    deviceId: device.id.text, platform: device.platform.wire, app: device.app,
                    seenAtMs: device.seenAt?.milliseconds ?? 0)
            })
    }
}
