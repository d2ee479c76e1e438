import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// The devices that receive an account's push messages (N-04). A token belongs to one account at a
/// time. Registering it takes it over, so that a phone's new user does not see messages of the
/// former one.
package struct PushDevices: PushDevicesService {
    /// Devices of one account. A push to all of them is as many messages.
    package static let devicesMax = 20

    private let store: Store
    private let keys: NotificationKeys
    private let randomness: any Randomness
    private let apps: PushApps
    private let platforms: Set<PushPlatform>

    /// A handler over `store`. Devices must be of one of `apps`, on one of `platforms`.
    init(
        store: Store, keys: NotificationKeys, randomness: any Randomness, apps: PushApps,
        platforms: Set<PushPlatform>
    ) {
        self.store = store
        self.keys = keys
        self.randomness = randomness
        self.apps = apps
        self.platforms = platforms
    }

    /// Registers a device, or moves its token to this account.
    /// - Throws: `rpc/invalid-argument` with the fields at fault, also for a platform without a
    ///   provider and an unknown app; store errors.
    package func register(
        _ request: NotificationV1.RegisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.RegisterDeviceResponse {
        let account = keys.account(try SMSAndPushRequest.account(request.accountId))
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

    /// Replaces a device's token.
    /// - Throws: `rpc/invalid-argument` with the fields at fault; `rpc/not-found` when the account
    ///   has no such device; store errors.
    package func update(
        _ request: NotificationV1.UpdateDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UpdateDeviceResponse {
        let account = keys.account(try SMSAndPushRequest.account(request.accountId))
        let id = try Self.device(request.deviceId)
        try await store.write { transaction in
            guard let known = try transaction.device(id.key, ofAccount: account) else {
                throw ServiceError(.notFound, fields: ["device_id"])
            }
            guard let token = known.platform.token(request.token) else {
                throw ServiceError(.invalidArgument, fields: ["token"])
            }
            let hash = keys.devices.token(token, on: known.platform)
            if let other = try transaction.device(token: hash), other.id != id {
                try transaction.dropDevice(other.id)
            }
            let sealed = try keys.devices.seal(token, of: id)
            try transaction.replaceToken(of: id, by: sealed, hash: hash)
        }
        return NotificationV1.UpdateDeviceResponse()
    }

    /// Deletes one device, or the devices of one session. Idempotent.
    /// - Throws: `rpc/invalid-argument` with the fields at fault, also when both device and session
    ///   are given, or neither; store errors.
    package func unregister(
        _ request: NotificationV1.UnregisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UnregisterDeviceResponse {
        let account = keys.account(try SMSAndPushRequest.account(request.accountId))
        guard request.deviceId.isEmpty != request.sessionId.isEmpty else {
            throw ServiceError(
                .invalidArgument, fields: ["device_id", "session_id"], detail: "give one of them")
        }
        let device = request.deviceId.isEmpty ? nil : try Self.device(request.deviceId)
        let session = try Self.session(request.sessionId).map(keys.devices.session)
        let dropped = try await store.write { transaction in
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

    /// Deletes all devices of an account.
    /// - Throws: `rpc/invalid-argument` for a malformed account id; store errors.
    package func revokeAll(
        _ request: NotificationV1.RevokeDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.RevokeDevicesResponse {
        let account = keys.account(try SMSAndPushRequest.account(request.accountId))
        let dropped = try await store.write { transaction in
            let dropped = try transaction.dropDevices(ofAccount: account)
            if dropped > 0 {
                try transaction.audit(AuditEvent(.pushDevicesRevoked, subject: account))
            }
            return dropped
        }
        return NotificationV1.RevokeDevicesResponse(dropped: UInt32(clamping: dropped))
    }

    /// Lists an account's devices, without their tokens.
    /// - Throws: `rpc/invalid-argument` for a malformed account id; store errors.
    package func list(
        _ request: NotificationV1.ListDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListDevicesResponse {
        let account = keys.account(try SMSAndPushRequest.account(request.accountId))
        let devices = try await store.read { try $0.devices(ofAccount: account) }
        return NotificationV1.ListDevicesResponse(
            devices: devices.map { device in
                NotificationV1.PushDevice(
                    deviceId: device.id.text, platform: device.platform.wire, app: device.app,
                    seenAtMs: device.seenAt?.milliseconds ?? 0)
            })
    }

    // MARK: request fields

    private static func device(_ text: String) throws(ServiceError) -> PushDeviceID {
        guard let device = PushDeviceID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["device_id"])
        }
        return device
    }

    private static func session(_ text: String) throws(ServiceError) -> SessionID? {
        if text.isEmpty { return nil }
        guard let session = SessionID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["session_id"])
        }
        return session
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
