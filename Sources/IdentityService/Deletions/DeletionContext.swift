import ServiceRuntime

/// What a flow needs to begin or cancel a deletion.
struct DeletionContext: AccountWriting, Sendable {
    let writer: AccountWriter
    /// Wakes the worker.
    private let signal = WakeSignal()

    /// Wakes the worker. To be called after the commit of a flow that has begun a deletion; without
    /// it the deletion waits until the worker looks again.
    func wake() { signal.wake() }

    /// Returns when the worker is woken, or after `duration`. For the worker only.
    func wait(atMost duration: Duration, time: any Time) async {
        await signal.wait(atMost: duration, time: time)
    }
}
