import ServiceRuntime
import Storage

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
        _ = try dropDevices(ofAccount: device.account, beyond: PushDevices.devicesMax)
        try audit(
            AuditEvent(
                known == nil ? .pushDeviceAdded : .pushDeviceMoved, subject: device.account))
        return DevicePlace(device: device.id, isMoved: known != nil)
    }
}
