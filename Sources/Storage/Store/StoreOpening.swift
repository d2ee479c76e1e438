import Logging
import ServiceRuntime

/// Opens a store: what both engines need for it.
struct StoreOpening {
    let migrations: [Migration]
    let limits: Store.Limits
    let acceptsClock: Bool
    let instance: Int64
    let time: any Time
    let logger: Logger
    let metrics: StoreMetrics
    let writes: PartCondition
    let watchdog: WriterWatchdog
    /// Wakes the outbox's relay.
    let signal: WakeSignal

    /// What was found, and what runs the store's flows from now on.
    struct Opened {
        let backend: any StoreBackend
        let isRestoredCopy: Bool
        let clock: ClockHold
        /// The latest moment that the store knew.
        let lastMoment: Timestamp?
        /// When the last backup was completed, as far as the store knows.
        let backedUpAt: Timestamp?
    }

    /// Opens it.
    /// - Throws: `StoreError`, `SQLError`, `OSThread.NotStarted`.
    func open(_ place: StorePlace) throws -> Opened {
        switch place {
        case .folder(_, _, let engine): try openFile(place, engine)
        case .server(let settings, _, let name): try openServer(settings, name)
        }
    }
}
