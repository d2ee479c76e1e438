import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// For the calls of one registration together. They go on when its caller is gone.
private let timeout: Duration = .seconds(10)

extension PushRegistrationsHandler {
    /// Registers a device with the caller's session (G-09).
    ///
    /// The race: session says that the session is live, it ends, `EndedSessionDevices` reads the end
    /// and finds no device, and then the device is stored. It would get the account's messages for
    /// ever. So session is asked twice:
    ///
    ///     1. whose token it is, and whether its session is live
    ///     2. notification stores the device
    ///     3. whether the session's row shows an end: then the device is removed
    ///
    /// An end before 3 is found by 3. One after it is written after the device, so that notification
    /// finds the device when it reads the end. The row decides (`InspectSession`): what an instance
    /// of session has in memory may lack an end of another.
    ///
    /// Attack: a thief with a session of minutes cancels after 2, or sets a short deadline. So 2 and
    /// 3 run in a task of their own, to their end. What is not known to be of a live session is
    /// removed, by an order in the outbox: it arrives although notification does not answer now. If
    /// this process is killed between 2 and 3, that order is missing: the session would have to end
    /// in the same milliseconds.
    func registerPushDevice(
        _ request: GatewayV1.RegisterPushDeviceRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.RegisterPushDeviceResponse {
        try await store.read { try $0.requireLive(call.owner) }
        let token = try call.frame.context.requiredAccessToken()
        let registration = NotificationV1.RegisterDeviceRequest(
            accountId: call.owner.account.text, platform: request.platform,
            token: request.token, app: request.app, sessionId: call.owner.session)
        let context = CallContext.byIdentity(
            deadline: time.uptime() + timeout, metadata: call.frame.context.onward().metadata)
        let answer = try await Task {
            try await register(registration, of: call.owner, bearing: token, context)
        }.value
        let device =
            answer.device
            ?? GatewayV1.PushRegistration(
                pushDeviceId: answer.deviceId, platform: request.platform, app: request.app,
                seenAtMs: time.now().milliseconds, isCurrentSession: true)
        return GatewayV1.RegisterPushDeviceResponse(pushDevice: device)
    }

    private func register(
        _ registration: NotificationV1.RegisterDeviceRequest, of owner: SessionOwner,
        bearing token: String, _ context: CallContext
    ) async throws -> NotificationV1.RegisterDeviceResponse {
        let answer: NotificationV1.RegisterDeviceResponse
        do {
            answer = try await pushDevices.register(registration, context)
        } catch {
            if Self.mayHaveRegistered(despite: error) {
                try await requireLiveRow(of: owner, bearing: token, context)
            }
            throw error
        }
        try await requireLiveRow(of: owner, bearing: token, context)
        return answer
    }

    /// Whether notification may have stored a device although it did not answer so.
    private static func mayHaveRegistered(despite error: any Error) -> Bool {
        guard let error = error as? ServiceError else { return true }
        return switch error.code {
        case .deadlineExceeded, .cancelled, .unavailable, .internalError: !error.didNothing
        default: false
        }
    }

    /// Requires that the row of a token's session shows no end, or else removes the session's
    /// devices. The token may have expired since the call began.
    /// - Throws: as `InspectSessionResponse.refusal`; what the call throws.
    private func requireLiveRow(
        of owner: SessionOwner, bearing accessToken: String, _ context: CallContext
    ) async throws {
        do {
            let state = try await owners.sessions.inspectSession(
                SessionV1.InspectSessionRequest(accessToken: accessToken), context)
            guard state.live else { throw state.refusal(of: accessToken) }
        } catch {
            try await removeDevices(of: owner)
            throw error
        }
    }

    /// Orders the removal of all devices of a session.
    private func removeDevices(of owner: SessionOwner) async throws {
        try await store.write(about: [.account(owner.account)]) { transaction in
            try transaction.enqueue(outbox.unregisterDevices(of: owner))
        }
    }
}
