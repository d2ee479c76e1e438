import Contracts
import Messages
import RPC
import ServiceRuntime

/// A service whose store is backed up.
struct StoreSource: Sendable {
    let service: BackupEntry.Service
    let backup: any BackupAPI
    /// Makes the context of a call with this timeout.
    let context: @Sendable (_ timeout: Duration) -> CallContext
}

/// The call of a service failed.
struct ServiceFailure: Error {
    /// The service's name, `rate-limit`.
    let service: String
    let error: ServiceError

    /// Another copy of the service's store is under way. A service that is overloaded fails with
    /// the same code, and says when to try again, or that it has not begun the call.
    var isOtherCopy: Bool {
        error.code == .resourceExhausted && error.retryAfter == nil && !error.notProcessed
    }
}

/// The stores of several services, of which the snapshots are one state (`HoldBarrier`).
struct StoreHold: Sendable {
    /// A store with an open snapshot.
    struct HeldStore: Sendable {
        let source: StoreSource
        let description: BackupV1.StoreHeld
        /// The files of its copy. Releasing them ends the copy.
        let items: IncomingItems<BackupV1.CopyStoreItem>
    }

    /// The longest duration of a copy. A server also closes a connection with running calls this long
    /// after its `max-connection-age`.
    private static let copyTimeout = Duration.seconds(24 * 3_600)

    let stores: [HeldStore]
    /// When the stores had the state.
    let at: Timestamp
    /// How long each service held its commits.
    let hold: Duration
    /// The number of tries that it took.
    let tries: Int

    /// Holds the stores of all sources at one moment.
    /// - Throws: `ServiceFailure`, also if the last try was refused; `ToolError` if no try
    ///   succeeded; `CancellationError`.
    static func begin(_ sources: [StoreSource], time: any Time) async throws -> StoreHold {
        var refusal: ServiceFailure?
        for number in 1...HoldBarrier.triesMax {
            let hold = HoldBarrier.hold(ofTry: number)
            let began = time.uptime()
            do {
                let stores = try await heldStores(of: sources, for: hold)
                if HoldBarrier.isOneState(hold: hold, from: began, to: time.uptime()) {
                    return StoreHold(stores: stores, at: time.now(), hold: hold, tries: number)
                }
                refusal = nil
            } catch let failure as ServiceFailure where isPassing(failure, try: number) {
                refusal = failure
            }
            try await time.sleep(for: HoldBarrier.pause)
        }
        if let refusal { throw refusal }
        throw ToolError(
            "the stores could not be held at one moment in \(HoldBarrier.triesMax) tries: the "
                + "services answer too slowly. `postern top` shows their load; try again when it "
                + "is lower, or run the backup nearer to the services")
    }

    /// Whether the next try may succeed. After the first one, the other copy can be that of the try
    /// before, which its service has not ended yet.
    private static func isPassing(_ failure: ServiceFailure, try number: Int) -> Bool {
        failure.error.code == .resourceExhausted && (number > 1 || !failure.isOtherCopy)
    }

    private static func heldStores(
        of sources: [StoreSource], for hold: Duration
    ) async throws -> [HeldStore] {
        try await withThrowingTaskGroup(of: (Int, HeldStore).self) { group in
            for (index, source) in sources.enumerated() {
                group.addTask { (index, try await heldStore(of: source, for: hold)) }
            }
            var stores = [HeldStore?](repeating: nil, count: sources.count)
            for try await (index, store) in group { stores[index] = store }
            return stores.compactMap(\.self)
        }
    }

    private static func heldStore(
        of source: StoreSource, for hold: Duration
    ) async throws -> HeldStore {
        let items = source.backup.copyStore(
            .init(holdMs: UInt32(clamping: hold.milliseconds)), source.context(copyTimeout))
        let first = try await source.service.calling {
            try await items.makeAsyncIterator().next()?.part
        }
        guard case .held(let description) = first, description.store == source.service.store else {
            throw source.service.unexpected
        }
        return HeldStore(source: source, description: description, items: items)
    }
}

extension BackupEntry.Service {
    /// Runs a call of this service.
    /// - Throws: `ServiceFailure`.
    func calling<Answer>(_ call: () async throws -> Answer) async throws -> Answer {
        do {
            return try await call()
        } catch let error as ServiceError {
            throw ServiceFailure(service: name, error: error)
        }
    }

    /// The error about a stream that is not one of `CopyStore`.
    var unexpected: ToolError {
        ToolError(
            "\(name) did not send its store as this tool expects: use the `postern` of the version "
                + "that the services have")
    }
}
