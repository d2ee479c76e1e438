import NIOCore
import ServiceRuntime

/// One call of a caller, through all its tries; lives on one event loop. `TryPlan` decides, this
/// obeys: at most two tries are on their way at once, and the first answer ends the call.
final class CallTries {
    private let pool: ClientPool
    private let request: OutgoingRequest
    private let deadline: Duration
    /// Whether the deadline is that of a caller of this program.
    private let isCallersDeadline: Bool
    /// A try that has ended may have been begun by the peer.
    private var mayHaveBegun = false
    private var plan: TryPlan
    private var current: PendingCall?
    private var hedge: PendingCall?
    private var hedgeTimer: Scheduled<Void>?
    private var retryTimer: Scheduled<Void>?
    private var finish: ((Result<BorrowedResponse, ServiceError>) -> Void)?

    init(
        _ pool: ClientPool, _ request: OutgoingRequest, deadline: Duration,
        isCallersDeadline: Bool, isRepeatable: Bool,
        finish: @escaping (Result<BorrowedResponse, ServiceError>) -> Void
    ) {
        self.pool = pool
        self.request = request
        self.deadline = deadline
        self.isCallersDeadline = isCallersDeadline
        self.finish = finish
        plan = TryPlan(isRepeatable: isRepeatable)
    }

    /// Sends the first try; a second one beside it if no answer has come after `hedgeAfter`.
    func begin(hedgeAfter: Duration?) {
        if let hedgeAfter {
            let tries = NIOLoopBound(self, eventLoop: pool.loop)
            hedgeTimer = pool.loop.scheduleTask(in: TimeAmount(hedgeAfter)) {
                tries.value.sendHedge()
            }
        }
        send(avoiding: nil)
    }

    /// Its caller wants no answer any more.
    func cancel() { giveUp(ServiceError(.cancelled)) }

    /// There will be no more tries.
    func giveUp(_ error: ServiceError) { end(.failure(error)) }

    // MARK: Sending

    private func send(avoiding avoided: ClientEndpoint?) {
        let call = pending { [self] in
            let endpoint = current?.placement?.endpoint
            current = nil
            ended($0, at: endpoint, besides: hedge)
        }
        current = call
        pool.start(call, avoiding: avoided)
    }

    private func sendAgain(avoiding avoided: ClientEndpoint?) {
        pool.restsNoMore(self)
        send(avoiding: avoided)
    }

    private func sendHedge() {
        guard finish != nil, hedge == nil, let endpoint = current?.placement?.endpoint,
            pool.hasOther(than: endpoint), plan.hedges(budget: &pool.budget)
        else { return }
        pool.reports.hedged()
        let call = pending { [self] in
            let endpoint = hedge?.placement?.endpoint
            hedge = nil
            ended($0, at: endpoint, besides: current)
        }
        hedge = call
        pool.start(call, avoiding: endpoint)
    }

    private func pending(
        _ complete: @escaping (Result<BorrowedResponse, ServiceError>) -> Void
    ) -> PendingCall {
        let uptime = pool.time.uptime()
        return PendingCall(
            marked(plan.next()), deadline: deadline,
            callersTime: isCallersDeadline ? deadline - uptime : nil,
            connectDue: uptime + pool.settings.connectPatience, complete: complete)
    }

    /// From the second try on the server is told which it is; a caller's own metadata go first
    /// where there is no room for that.
    private func marked(_ number: Int) -> OutgoingRequest {
        guard number > 1 else { return request }
        var metadata = request.metadata
        metadata[Metadata.Key.attempt] = "\(number)"
        guard metadata.isWithinLimits else { return request }
        return OutgoingRequest(
            method: request.method, metadata: metadata, payload: request.payload)
    }

    // MARK: Ending

    private func ended(
        _ result: Result<BorrowedResponse, ServiceError>, at endpoint: ClientEndpoint?,
        besides other: PendingCall?
    ) {
        guard finish != nil else { return }
        switch result {
        case .success:
            pool.budget.earn()
            end(result)
        case .failure(let error):
            if !error.notProcessed { mayHaveBegun = true }
            if other != nil, TryPlan.isPassing(error) { return }  // the other may still answer
            proceed(after: error, at: endpoint)
        }
    }

    private func proceed(after error: ServiceError, at endpoint: ClientEndpoint?) {
        let failure = FailedTry(
            error: error, wasPlaced: endpoint != nil,
            hasElsewhere: endpoint.map { pool.hasOther(than: $0) } ?? false,
            timeLeft: deadline - pool.time.uptime())
        switch plan.failed(
            failure, jitter: pool.randomness.integer(), budget: &pool.budget)
        {
        case .giveUp: giveUp(error)
        case .resend:
            pool.reports.resent()
            send(avoiding: endpoint)
        case .retry(let wait):
            pool.reports.retried()
            let tries = NIOLoopBound(self, eventLoop: pool.loop)
            let avoided = endpoint.map { NIOLoopBound($0, eventLoop: pool.loop) }
            retryTimer = pool.loop.scheduleTask(in: TimeAmount(wait)) {
                tries.value.sendAgain(avoiding: avoided?.value)
            }
            pool.rests(self)
        }
    }

    /// Tells the caller, then gives up whatever is still on its way.
    private func end(_ result: Result<BorrowedResponse, ServiceError>) {
        guard let finish else { return }
        self.finish = nil
        hedgeTimer?.cancel()
        if let retryTimer {
            retryTimer.cancel()
            pool.restsNoMore(self)
        }
        let isUnbegun = !mayHaveBegun && current?.carrier == nil && hedge?.carrier == nil
        finish(result.mapError { $0.afterACall(of: pool.settings.service, isUnbegun: isUnbegun) })
        if let current { pool.cancel(current) }
        if let hedge { pool.cancel(hedge) }
    }
}

extension Metadata.Key {
    /// Which try of the call this is, from 2 on; absent on the first.
    package static let attempt = "attempt"
}

extension ServiceError {
    /// The error as the caller's own: the peer may not have begun its call, but whoever made that
    /// call has begun, and a handler that hands this on must not tell its caller to try elsewhere.
    ///
    /// `rpc/unavailable` names what is missing, seen from here: the peer, or a part of the peer.
    /// - Parameter isUnbegun: no try may have been begun. Attack: a guess that a first try has compared
    ///   is given back, since a second one was refused at the door.
    fileprivate func afterACall(of service: String, isUnbegun: Bool) -> ServiceError {
        guard notProcessed || code == .unavailable else { return self }
        let peer = RPCClient.partName(of: service)
        let missing = fields.isEmpty ? [peer] : fields.map { "\(peer).\($0)" }
        var error = ServiceError(
            code, retryAfter: retryAfter, fields: code == .unavailable ? missing : fields,
            detail: detail)
        error.sentence = sentence
        error.isUnbegunByPeer = notProcessed && isUnbegun
        return error
    }
}
