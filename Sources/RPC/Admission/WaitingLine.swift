/// A queue that also allows removal from the back, and from the middle by an element's `Place`.
/// Every operation takes constant time.
package struct WaitingLine<Element: Sendable>: Sendable {
    /// The position of an element. It is never valid again once the element was removed.
    package struct Place: Hashable, Sendable {
        fileprivate let index: Int
        fileprivate let generation: UInt64
    }

    struct Node: Sendable {
        var element: Element?
        var generation: UInt64
        var before: Int?
        var behind: Int?
    }

    private var nodes: [Node] = []
    private var free: [Int] = []
    private var front: Int?
    private var back: Int?
    private var generation: UInt64 = 0
    private(set) var count = 0

    /// Whether it has no element.
    package var isEmpty: Bool { count == 0 }

    /// The element that has waited longest.
    package var first: Element? { front.flatMap { nodes[$0].element } }

    /// Adds an element at the back.
    package mutating func append(_ element: Element) -> Place {
        generation += 1
        let node = Node(element: element, generation: generation, before: back, behind: nil)
        let index = free.popLast() ?? nodes.count
        if index == nodes.count { nodes.append(node) } else { nodes[index] = node }
        if let back { nodes[back].behind = index } else { front = index }
        back = index
        count += 1
        return Place(index: index, generation: generation)
    }

    /// Removes the element at `place`.
    /// - Returns: nil when it was already removed.
    package mutating func remove(_ place: Place) -> Element? {
        guard place.index < nodes.count, nodes[place.index].generation == place.generation else {
            return nil
        }
        return take(place.index)
    }

    mutating func removeFirst() -> Element? { front.flatMap { take($0) } }

    mutating func removeLast() -> Element? { back.flatMap { take($0) } }

    private mutating func take(_ index: Int) -> Element? {
        let node = nodes[index]
        guard let element = node.element else { return nil }
        if let before = node.before {
            nodes[before].behind = node.behind
        } else {
            front = node.behind
        }
        if let behind = node.behind {
            nodes[behind].before = node.before
        } else {
            back = node.before
        }
        nodes[index] = Node(element: nil, generation: 0, before: nil, behind: nil)
        count -= 1
        free.append(index)
        if count == 0 { self = WaitingLine(after: generation) }
        return element
    }

    /// An empty queue.
    package init() {}

    /// An empty queue without the memory that a burst has left.
    private init(after generation: UInt64) { self.generation = generation }
}
