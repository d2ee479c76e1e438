/// A bounded queue, filled by any thread or task and consumed by threads that block on it.
///
/// It has two lines: bulk elements, those of many bytes, wait behind all others and have a bound of
/// their own. So a crowd of them delays no other element by more than one `take`, and takes no
/// other's place in the queue. Among each other they take turns by owner (`BulkLine`).
///
/// Elements whose caller has gone are taken with the others, and count for nothing: the consumer
/// drops them.
///
/// `@unchecked Sendable`: all mutable state is guarded by `monitor`.
final class WorkQueue<Element: Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private let elementsMax: Int
    private let isGone: @Sendable (Element) -> Bool
    private var elements: [Element] = []
    private var bulk: BulkLine<Element>
    private var isClosed = false
    /// A consumer is woken once this many elements wait: one, or more while it gathers.
    private var wakesAt = 1

    /// An open queue of at most `elementsMax` elements, and as many as `bulkElementsMax` bulk ones,
    /// of which `bulkElementsOfOneMax` may be one owner's.
    /// - Parameter isGone: whether the caller of an element has gone. It does not wait.
    init(
        elementsMax: Int, bulkElementsMax: Int = 0, bulkElementsOfOneMax: Int = .max,
        isGone: @escaping @Sendable (Element) -> Bool = { _ in false }
    ) {
        self.elementsMax = elementsMax
        self.isGone = isGone
        bulk = BulkLine(elementsMax: bulkElementsMax, elementsOfOneMax: bulkElementsOfOneMax)
    }

    /// How many elements wait.
    var count: Int { monitor.locked { waiting } }

    /// Appends an element; never blocks.
    /// - Parameters:
    ///   - bulkBytes: more than 0 for a bulk element.
    ///   - owner: whose a bulk element is.
    /// - Returns: a bulk element that gave its place to this one and will not be taken.
    @discardableResult
    func offer(
        _ element: Element, bulkBytes: Int = 0, of owner: Subject? = nil
    ) throws(QueueRefusal) -> Element? {
        let result: Result<Element?, QueueRefusal> = monitor.locked {
            if isClosed { return .failure(.closed) }
            var displaced: Element?
            if bulkBytes > 0 {
                do throws(QueueRefusal) {
                    displaced = try bulk.add(
                        element, bytes: bulkBytes, of: owner, isGone: isGone)
                } catch {
                    return .failure(error)
                }
            } else {
                if elements.count >= elementsMax { return .failure(.full) }
                elements.append(element)
            }
            if waiting >= wakesAt { monitor.signal() }
            return .success(displaced)
        }
        return try result.get()
    }

    /// Takes up to `count` elements from the front, blocking until there is one: first of those
    /// that are not bulk, then bulk ones of at most `bulkBytesMax` bytes together. One bulk element
    /// is taken in any case, though it is one more than `count` or larger, so that none waits for
    /// ever. Where `gather` is more than one, waits at most `timeout` for that many.
    /// - Returns: an empty array only once the queue is closed and empty.
    func take(
        upTo count: Int, bulkBytesMax: Int = 0, gather: Int = 1, timeout: Duration = .zero
    ) -> [Element] {
        monitor.locked {
            while waiting == 0 && !isClosed { monitor.wait() }
            if waiting < gather && timeout > .zero { waitFor(gather, timeout) }
            let (first, counted) = takeElements(upTo: count)
            if bulk.count == 0 { return first }
            return first
                + bulk.take(upTo: count - counted, bytesMax: bulkBytesMax, isGone: isGone)
        }
    }

    /// Rejects new elements; waiting ones are still taken.
    func close() {
        monitor.locked {
            isClosed = true
            monitor.broadcast()
        }
    }

    private var waiting: Int { elements.count + bulk.count }

    private func takeElements(upTo count: Int) -> (taken: [Element], counted: Int) {
        if elements.count <= count {
            defer { elements = [] }
            return (elements, elements.count)
        }
        var (end, counted) = (0, 0)
        while counted < count {
            if !isGone(elements[end]) { counted += 1 }
            end += 1
            if end == elements.count { break }
        }
        defer { elements.removeFirst(end) }
        return (Array(elements[..<end]), counted)
    }

    private func waitFor(_ count: Int, _ timeout: Duration) {
        let until = Monitor.moment(in: timeout)
        wakesAt = count
        defer { wakesAt = 1 }
        while waiting < count && !isClosed {
            if !monitor.wait(until: until) { return }
        }
    }
}
