import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.notification.v1.PushDevices`: the devices that receive an account's push messages
/// (N-04). A token belongs to one account at a time. Registering it takes it over, so that a
/// phone's new user does not see messages of the former one.
struct PushDevicesHandler: PushDevicesService {
    /// Devices of one account. A push to all of them is as many messages.
    static let devicesMax = 20
    /// Devices of one session: an app's, those of its other parts, and one whose token was replaced
    /// without word. With its 5 sessions an account stays below `devicesMax`.
    ///
    /// Attack: a thief's session registers invented tokens, until the owner's device is the one seen
    /// longest ago, and the owner hears of nothing.
    static let sessionDevicesMax = 4

    let store: Store
    let keys: NotificationKeys
    let randomness: any Randomness
    let apps: PushApps
    let platforms: Set<PushPlatform>

    /// A handler over `store`. Devices must be of an app and on a platform of `settings`.
    init(
        settings: NotificationSettings, store: Store, keys: NotificationKeys,
        randomness: any Randomness
    ) {
        self.store = store
        self.keys = keys
        self.randomness = randomness
        apps = settings.push.apps
        platforms = settings.push.platforms
    }

    static func device(_ text: String) throws(ServiceError) -> PushDeviceID {
        guard let device = PushDeviceID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["device_id"])
        }
        return device
    }

    static func session(_ text: String) throws(ServiceError) -> SessionID? {
        if text.isEmpty { return nil }
        guard let session = SessionID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["session_id"])
        }
        return session
    }
}

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

    /// Deletes one device, the devices of one session, or with both one device if it is the
    /// session's. Idempotent.
    func unregister(
        _ request: NotificationV1.UnregisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UnregisterDeviceResponse {
        let account = keys.account(try RequestFields.account(request.accountId))
        guard !request.deviceId.isEmpty || !request.sessionId.isEmpty else {
            throw ServiceError(
                .invalidArgument, fields: ["device_id", "session_id"], detail: "give one of them")
        }
        let device = request.deviceId.isEmpty ? nil : try Self.device(request.deviceId)
        let session = try Self.session(request.sessionId).map(keys.devices.session)
        let dropped = try await store.write(about: [.hash(account)]) { transaction in
            let dropped = try transaction.unregister(device, of: account, session: session)
            if dropped > 0 {
                try transaction.audit(AuditEvent(.pushDeviceRemoved, subject: account))
            }
            return dropped
        }
        return NotificationV1.UnregisterDeviceResponse(dropped: UInt32(clamping: dropped))
    }

    /// Lists an account's devices, without their tokens.
    func list(
        _ request: NotificationV1.ListDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListDevicesResponse {
        let account = keys.account(try RequestFields.account(request.accountId))
        let session = try Self.session(request.sessionId).map(keys.devices.session)
        let devices = try await store.read { try $0.devices(ofAccount: account) }
        return NotificationV1.ListDevicesResponse(devices: devices.map { $0.shown(to: session) })
    }
}

extension Transaction {
    /// Deletes an account's devices of a session, or one of them, or one of any session.
    /// - Returns: how many.
    fileprivate func unregister(
        _ device: PushDeviceID?, of account: [UInt8], session: [UInt8]?
    ) throws -> Int {
        guard let device else {
            return try session.map { try dropDevices(ofAccount: account, session: $0) } ?? 0
        }
        guard let known = try self.device(device.key, ofAccount: account),
            session == nil || known.session == session
        else { return 0 }
        return try dropDevice(device)
    }
}
