import ServiceRuntime

/// How a session without a device key is bound to its device (S-04). A session that has a key
/// requires its proof under each of these.
package enum DeviceBinding: String, CaseIterable, Sendable {
    /// A refresh with another device id than the session's is recorded and succeeds. The client
    /// states the device id, and a thief can copy it with the token: it proves little and must not
    /// sign a user out.
    case signal
    /// A refresh with another device id, or none, is recorded and refused. A sign-in without a key
    /// needs a device id.
    case fingerprint
    /// Sign-ins without a key are refused. Sessions opened before continue as under `signal`.
    case key

    /// How a refresh is treated.
    enum Verdict: Hashable, Sendable {
        /// It succeeds.
        case answered
        /// It succeeds, and is recorded as coming from another device.
        case recorded
        /// It is refused and recorded.
        case refused
    }

    /// Refuses a sign-in without a key whose session would be bound to nothing.
    /// - Throws: `auth/device-key-required`, `rpc/invalid-argument`.
    func requireTie(toDevice id: String) throws(ServiceError) {
        switch self {
        case .signal: break
        case .fingerprint:
            if id.isEmpty { throw ServiceError(.invalidArgument, fields: ["device_id"]) }
        case .key: throw ServiceError(.deviceKeyRequired)
        }
    }

    /// The verdict on a refresh from `device`, of a session without a key that was opened on
    /// `home`. Both are keyed hashes, nil where no device was named.
    func verdict(on device: [UInt8]?, home: [UInt8]?) -> Verdict {
        guard let home, device != home else { return .answered }
        return switch self {
        case .fingerprint: .refused
        case .signal, .key: device == nil ? .answered : .recorded
        }
    }
}
