import ServiceRuntime
import Storage
import Synchronization

/// A store whose writes fail from one on, as if the process had been killed before that commit.
/// Reads go on: they change nothing.
final class FailingWrites: StoreBackend {
    private let inner: any StoreBackend
    private let left = Mutex<Int?>(nil)
    private let failed = Mutex(0)

    init(_ inner: any StoreBackend) { self.inner = inner }

    /// From now on so many writes succeed, and all later ones fail.
    func fail(after writes: Int) { left.withLock { $0 = writes } }

    /// How many writes have failed.
    var failures: Int { failed.withLock { $0 } }

    var waitingWrites: Int { inner.waitingWrites }

    func write(_ job: WriterJob) throws(QueueRefusal) {
        guard case .flow(let flow) = job else { return try inner.write(job) }
        let isFailing = left.withLock { left in
            guard let count = left else { return false }
            left = max(count - 1, 0)
            return count == 0
        }
        guard isFailing else { return try inner.write(job) }
        failed.withLock { $0 += 1 }
        flow.work.fail(ServiceError(.unavailable))
    }

    func read(_ query: Queued<any SQLSession>) throws(QueueRefusal) { try inner.read(query) }

    func close() { inner.close() }
}

/// Holds the backend that a fixture's store was opened with.
final class FailingWritesHolder: Sendable {
    private let held = Mutex<FailingWrites?>(nil)

    /// To be given to the fixture.
    func wrap(_ inner: any StoreBackend) -> any StoreBackend {
        let backend = FailingWrites(inner)
        held.withLock { $0 = backend }
        return backend
    }

    var backend: FailingWrites? { held.withLock { $0 } }
}
