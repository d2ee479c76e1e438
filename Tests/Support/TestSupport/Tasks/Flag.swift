import Synchronization

/// A flag that one task sets and others poll, for example to stop a loop.
package final class Flag: Sendable {
    private let raised = Atomic<Bool>(false)

    package init() {}

    package var isRaised: Bool { raised.load(ordering: .acquiring) }

    package func raise() { raised.store(true, ordering: .releasing) }
}
