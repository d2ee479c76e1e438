import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension PushDevicesHandler {
    /// Registers a device, or moves its token to this account.
    /// - Throws: `rpc/invalid-argument` with the fields at fault, also for a platform without a
    ///   provider and an unknown app; store errors.
    package func register(
        _ request: NotificationV1.RegisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.RegisterDeviceResponse {
        let account = keys.account(try RequestFields.account(request.accountId))
        let session = try Self.session(request.sessionId).map(keys.devices.session)
        let (platform, token) = try Self.token(request)
        guard platforms.contains(platform) else {
            throw ServiceError(
                .invalidArgument, fields: ["platform"], detail: "it has no provider")
        }
        guard let app = apps.app(request.app, on: platform) else {
            throw ServiceError(.invalidArgument, fields: ["app"], detail: "unknown app")
        }
        let id = PushDeviceID.drawn(from: randomness)
        let device = StoredDevice(
            id: id, account: account, platform: platform, app: app,
            token: try keys.devices.seal(token, of: id))
        let hashes = DeviceHashes(
            token: keys.devices.token(token, on: platform),
            recipient: keys.recipient(PushOrder.recipientKey(device: id.key)), session: session)
        let place = try await store.write { try $0.place(device, hashes) }
        return NotificationV1.RegisterDeviceResponse(
            deviceId: place.device.text, moved: place.isMoved)
    }

    private static func token(
        _ request: NotificationV1.RegisterDeviceRequest
    ) throws(ServiceError) -> (PushPlatform, String) {
        guard let platform = PushPlatform(request.platform) else {
            throw ServiceError(.invalidArgument, fields: ["platform"])
        }
        guard let token = platform.token(request.token) else {
            throw ServiceError(.invalidArgument, fields: ["token"])
        }
        return (platform, token)
    }
}

/// The result of a registration.
struct DevicePlace: Hashable, Sendable {
    /// The device's row: the existing one if account and token are the same.
    let device: PushDeviceID
    /// Whether the token belonged to another account.
    let isMoved: Bool
}

extension Transaction {
    /// Assigns a token to an account (N-04). A row never changes its account: messages to the
    /// former owner name the former row and so reach no device.
    func place(_ device: StoredDevice, _ hashes: DeviceHashes) throws -> DevicePlace {
        let known = try self.device(token: hashes.token)
        if let known, known.account == device.account {
            try touchDevice(known.id, app: device.app, session: hashes.session)
            return DevicePlace(device: known.id, isMoved: false)
        }
        if let known { try dropDevice(known.id) }
        try insert(device, hashes)
        _ = try dropDevices(ofAccount: device.account, beyond: PushDevicesHandler.devicesMax)
        try audit(
            AuditEvent(
                known == nil ? .pushDeviceAdded : .pushDeviceMoved, subject: device.account))
        return DevicePlace(device: device.id, isMoved: known != nil)
    }
}
