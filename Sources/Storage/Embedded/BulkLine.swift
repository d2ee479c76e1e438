/// The bulk elements of a `WorkQueue`. They are taken in turns: one of each owner that has any, and
/// of one owner in the order of their arrival. So a crowd of one owner's elements delays another's
/// by one element, and not by the crowd.
///
/// No owner can take the line from others: each has a bound of its own, and where the line itself
/// is full, the owner with the most elements gives a place to one that has fewer.
struct BulkLine<Element> {
    private struct Waiting {
        let element: Element
        let bytes: Int
    }

    private let elementsMax: Int
    private let elementsOfOneMax: Int
    /// What waits, by owner; nil for elements without one, which share a turn.
    private var lines: [Subject?: [Waiting]] = [:]
    /// The owners whose turn comes in this round, the next one last.
    private var round: [Subject?] = []
    /// The owners whose turn comes after them, the next one first.
    private var later: [Subject?] = []
    /// How many elements wait.
    private(set) var count = 0

    init(elementsMax: Int, elementsOfOneMax: Int) {
        self.elementsMax = elementsMax
        self.elementsOfOneMax = elementsOfOneMax
    }

    /// Appends an element.
    /// - Parameter isGone: whether an element is not wanted any more: the first to give its place.
    /// - Returns: the element that gave its place, if there is one.
    mutating func add(
        _ element: Element, bytes: Int, of owner: Subject?, isGone: (Element) -> Bool
    ) throws(QueueRefusal) -> Element? {
        let displaced = try place(for: owner, isGone)
        if lines[owner] == nil { later.append(owner) }
        lines[owner, default: []].append(Waiting(element: element, bytes: bytes))
        count += 1
        return displaced
    }

    /// Makes a place, if none is left for this owner.
    private mutating func place(
        for owner: Subject?, _ isGone: (Element) -> Bool
    ) throws(QueueRefusal) -> Element? {
        let line = lines[owner] ?? []
        guard count >= elementsMax || line.count >= elementsOfOneMax else { return nil }
        if let gone = line.firstIndex(where: { isGone($0.element) }) {
            return remove(at: gone, of: owner)
        }
        guard line.count < elementsOfOneMax else { throw .ownerFull }
        // One more than this owner will have, or the two would displace each other.
        guard let most = lines.max(by: { $0.value.count < $1.value.count }),
            most.value.count > line.count + 1
        else { throw .full }
        return remove(at: most.value.count - 1, of: most.key)
    }

    /// The owner keeps its turn.
    private mutating func remove(at index: Int, of owner: Subject?) -> Element? {
        count -= 1
        return lines[owner]?.remove(at: index).element
    }

    /// Takes up to `upTo` elements of at most `bytesMax` bytes together, but one in any case. Those
    /// that are gone are taken as well, and count for nothing.
    mutating func take(upTo: Int, bytesMax: Int, isGone: (Element) -> Bool) -> [Element] {
        var (taken, counted, bytes) = ([Element](), 0, 0)
        while let owner = nextOwner(), let next = lines[owner]?.first {
            if !isGone(next.element) {
                guard counted == 0 || counted < upTo && next.bytes <= bytesMax - bytes else {
                    return taken
                }
                counted += 1
                bytes += next.bytes
                round.removeLast()
                later.append(owner)
            }
            lines[owner]?.removeFirst()
            count -= 1
            taken.append(next.element)
        }
        return taken
    }

    /// The owner whose turn it is. Owners without elements lose their turn.
    private mutating func nextOwner() -> Subject?? {
        while true {
            if round.isEmpty {
                (round, later) = (later.reversed(), [])
                if round.isEmpty { return nil }
            }
            let owner = round[round.count - 1]
            guard lines[owner]?.isEmpty != false else { return owner }
            lines[owner] = nil
            round.removeLast()
        }
    }
}
