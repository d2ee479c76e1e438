/// Watches whether the server behind one connection serves. A seam: being told by a stream
/// (`WatchedHealth`) is one way of it.
protocol EndpointHealth: AnyObject {
    /// No more is to be told: the connection is gone, or nobody cares.
    func stop()
}

/// What a server has said of itself.
enum ServingState: Hashable {
    /// Nothing yet.
    case unknown
    case serving
    case notServing
}
