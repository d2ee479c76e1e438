import Messages
import ServiceRuntime
import Storage

/// What `refresh` and `signOut` do with a refresh token before they change anything.
extension SessionsHandler {
    /// Checks the proof sent with a token of session `id`. Verifying a signature takes 0.1 ms, so
    /// it is done before the transaction, outside the store's only writer. A session's key never
    /// changes in between.
    func finding(
        of proof: SessionV1.DeviceProof?, on token: String, of id: SessionID
    ) async throws -> DeviceProofFinding {
        guard let proof else { return .absent }
        let key = try await store.read { try $0.deviceKey(of: id) }
        return DeviceProofRule.finding(proof, on: token, by: key, at: time.now())
    }

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
                confirmed: memory.confirmations.hasSeen(session.id, session.counter)
                    ? session.counter : session.counter - 1,
                isBound: session.deviceKey != nil),
            life.state(of: session, at: now), grace: settings.refreshGrace, at: now)
    }
}
