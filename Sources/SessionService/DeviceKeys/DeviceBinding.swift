import ServiceRuntime

/// What ties a session to its device where no key does (S-04); a session that has a key asks for
/// its proof under each of them.
package enum DeviceBinding: String, CaseIterable, Sendable {
    /// Another device id than the session's is recorded, and answered. Device ids are the caller's
    /// word, which a thief copies with the token: they tell little and must sign nobody out.
    case signal
    /// Another device id, or none, is recorded and refused, at a sign-in without a key too.
    case fingerprint
    /// Sign-ins without a key are refused. Sessions from before go on as under `signal`.
    case key

    /// What becomes of a use.
    enum Verdict: Hashable, Sendable {
        /// It is answered.
        case answered
        /// It is answered, and recorded as a device's that is not the session's.
        case recorded
        /// It is refused, and recorded.
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

    /// The verdict on a refresh that names `device`, of a session without a key that was opened on
    /// `home`; both are keyed hashes, nil where none was named.
    func verdict(on device: [UInt8]?, home: [UInt8]?) -> Verdict {
        guard let home, device != home else { return .answered }
        return switch self {
        case .fingerprint: .refused
        case .signal, .key: device == nil ? .answered : .recorded
        }
    }
}
