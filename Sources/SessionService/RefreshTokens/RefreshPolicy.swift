import ServiceRuntime

/// The operator's settings for rotation.
struct RefreshPolicy: Hashable, Sendable {
    /// How long after a rotation the parent may be retried, where no key proves the device.
    let grace: Duration
    /// How a session is bound to its device.
    let binding: DeviceBinding
}

extension SessionParts {
    /// The rotation rule's decision on a token of `session`.
    /// - Parameter isElsewhere: it comes from a device that `DeviceBinding` refuses.
    func decision(
        on counter: Int64, _ proof: DeviceProofFinding, isElsewhere: Bool, of session: Session,
        at now: Timestamp
    ) -> RefreshTokenRotation.Decision {
        RefreshTokenRotation.decision(
            on: RefreshTokenRotation.Use(
                counter: counter, proof: proof, isElsewhere: isElsewhere),
            of: RefreshTokenRotation.Family(
                leaf: session.counter, rotatedAt: session.rotatedAt,
                // The existence of a leaf shows that its parent was used.
                confirmed: confirmations.hasSeen(session.id, session.counter)
                    ? session.counter : session.counter - 1,
                isBound: session.deviceKey != nil),
            life.state(of: session, at: now), grace: refreshPolicy.grace, at: now)
    }
}
