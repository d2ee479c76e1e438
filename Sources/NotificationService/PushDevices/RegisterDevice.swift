import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension PushDevicesHandler {
    /// Registers a device, or moves its token to this account.
    ///
    /// A session that has ended, and whose end `EndedSessionDevices` has read already, would leave
    /// its device for ever. So identity asks session once more after this answer
    /// (`PushRegistrationsHandler`); this service cannot, since it communicates with outside systems
    /// and may read session's events only (Sources/SECURITY.md, Attackers).
    func register(
        _ request: NotificationV1.RegisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.RegisterDeviceResponse {
        let owner = try RequestFields.account(request.accountId)
        let account = keys.account(owner)
        let session = try Self.session(request.sessionId).map(keys.devices.session)
        let (platform, token) = try Self.token(request)
        guard platforms.contains(platform) else {
            throw ServiceError(.operationNotAllowed, detail: "the platform has no provider")
        }
        guard let app = apps.app(request.app, on: platform) else {
            throw ServiceError(.invalidArgument, fields: ["app"], detail: "unknown app")
        }
        let id = PushDeviceID.drawn(from: randomness)
        let device = StoredDevice(
            id: id, account: account, platform: platform, app: app,
            token: try keys.devices.seal(token, of: id), session: session)
        let hash = keys.devices.token(token, on: platform)
        let recipient = keys.recipient(PushOrder.recipientKey(device: id.key))
        let (row, isMoved) = try await store.write(about: [.hash(account)]) {
            try $0.register(device, token: hash, recipient: recipient) {
                try keys.devices.seal(owner, of: $0)
            }
        }
        return NotificationV1.RegisterDeviceResponse(
            deviceId: row.id.text, moved: isMoved, device: row.shown(to: session))
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

extension Transaction {
    /// Assigns a token to an account (N-04). A row never changes its account: messages to the
    /// former owner name the former row and so reach no device.
    /// - Returns: the device's row, the existing one if account and token are the same; whether the
    ///   token belonged to another account.
    fileprivate func register(
        _ device: StoredDevice, token: [UInt8], recipient: [UInt8],
        sealedAccount: (PushDeviceID) throws -> [UInt8]
    ) throws -> (row: StoredDevice, isMoved: Bool) {
        let known = try locked {
            try self.device(token: token)
        } about: {
            .hash($0.account)
        }
        if let known, known.account == device.account {
            try touchDevice(
                known.id, sealedAccount: sealedAccount(known.id), app: device.app,
                session: device.session)
            try dropSurplus(of: device)
            return (device.seen(at, as: known.id), false)
        }
        if let known { try dropDevice(known.id) }
        try insert(
            device, sealedAccount: sealedAccount(device.id), token: token, recipient: recipient)
        try dropSurplus(of: device)
        try audit(
            AuditEvent(
                known == nil ? .pushDeviceAdded : .pushDeviceMoved, subject: device.account))
        return (device.seen(at, as: device.id), known != nil)
    }

    /// Deletes what is too much after a registration: first of the session, so that none pushes
    /// another's devices out.
    private func dropSurplus(of device: StoredDevice) throws {
        if let session = device.session {
            try dropDevices(
                ofAccount: device.account, session: session,
                beyond: PushDevicesHandler.sessionDevicesMax)
        }
        _ = try dropDevices(ofAccount: device.account, beyond: PushDevicesHandler.devicesMax)
    }
}

extension StoredDevice {
    /// The device as its row is after a registration.
    fileprivate func seen(_ moment: Timestamp, as id: PushDeviceID) -> StoredDevice {
        StoredDevice(
            id: id, account: account, platform: platform, app: app, token: token, seenAt: moment,
            session: session)
    }
}
