import NIOCore
import ServiceRuntime

/// One call of a caller with all its tries, on one event loop. It carries out the decisions of
/// `TryPlan`. At most two tries are in flight at once, and the first response ends the call.
final class CallTries {
    private let pool: ClientPool
    private let request: OutgoingRequest
    private let deadline: Duration
    /// Whether the deadline is that of a caller of this program.
    private let isCallersDeadline: Bool
    /// Whether the peer may have begun to process a try that has ended.
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

    /// Sends the first try, and a hedge if there is no response after `hedgeAfter`.
    func begin(hedgeAfter: Duration?) {
        if let hedgeAfter {
            let tries = NIOLoopBound(self, eventLoop: pool.loop)
            hedgeTimer = pool.loop.scheduleTask(in: TimeAmount(hedgeAfter)) {
                tries.value.sendHedge()
            }
        }
        send(avoiding: nil)
    }

    /// The caller has cancelled the call.
    func cancel() { giveUp(ServiceError(.cancelled)) }

    /// Ends the call with `error`; there are no more tries.
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
        PendingCall(
            marked(plan.next()), deadline: deadline, isCallersDeadline: isCallersDeadline,
            connectDue: pool.time.uptime() + pool.settings.connectTimeout, complete: complete)
    }

    /// From the second try on, the try's number is sent in the metadata, unless the caller's own
    /// metadata leave no space for it.
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
            if other != nil, TryPlan.isPassing(error) { return }  // the other try may still succeed
            proceed(after: error, at: endpoint)
        }
    }

    private func proceed(after error: ServiceError, at endpoint: ClientEndpoint?) {
        let failure = TryPlan.Failure(
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

    /// Completes the call, then cancels the tries that are in flight.
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
    /// The number of the try, from 2; absent on the first.
    package static let attempt = "attempt"
}

extension ServiceError {
    /// The error as an error of this program's own call. The peer may not have processed its call,
    /// but this program has begun to process its caller's, so `notProcessed` is not passed on: a
    /// handler that forwards the error must not send its caller to another server.
    ///
    /// - Parameter isUnbegun: the peer cannot have begun to process any try. Attack: a password
    ///   guess that a first try has compared would be refunded because a second try was rejected by
    ///   load shedding.
    fileprivate func afterACall(of service: String, isUnbegun: Bool) -> ServiceError {
        var error = naming(service)
        guard notProcessed else { return error }
        error.notProcessed = false
        error.isUnbegunByPeer = isUnbegun
        return error
    }

    /// The error with the part that fails or did not answer in time, seen from this program: the
    /// called `service`, or a dependency of it.
    func naming(_ service: String) -> ServiceError {
        guard code == .unavailable || code == .deadlineExceeded else { return self }
        var error = self
        let peer = RPCClient.partName(of: service)
        error.unavailablePart = unavailablePart.isEmpty ? peer : "\(peer).\(unavailablePart)"
        return error
    }
}
