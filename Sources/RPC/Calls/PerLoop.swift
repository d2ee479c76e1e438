import NIOCore
import NIOPosix

/// One value for each event loop of a group, created on first use and accessed only on its loop.
struct PerLoop<Value>: Sendable {
    private let boxes: [ObjectIdentifier: NIOLoopBoundBox<Value?>]
    private let make: @Sendable (any EventLoop) -> Value

    init(
        _ group: MultiThreadedEventLoopGroup,
        _ make: @escaping @Sendable (any EventLoop) -> Value
    ) {
        var boxes: [ObjectIdentifier: NIOLoopBoundBox<Value?>] = [:]
        for loop in group.makeIterator() {
            boxes[ObjectIdentifier(loop)] = .makeEmptyBox(eventLoop: loop)
        }
        self.boxes = boxes
        self.make = make
    }

    /// The value for `loop`. Call it on that loop, which must belong to the group.
    subscript(loop: any EventLoop) -> Value {
        guard let box = boxes[ObjectIdentifier(loop)] else { return make(loop) }
        if let present = box.value { return present }
        let made = make(loop)
        box.value = made
        return made
    }
}
