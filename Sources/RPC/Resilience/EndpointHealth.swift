/// Watches whether the server of one connection is serving. `WatchedHealth` implements it with a
/// stream.
protocol EndpointHealth: AnyObject {
    /// Stops watching: the connection is closed or the state is no longer needed.
    func stop()
}

/// The health that a server has reported.
enum ServingState: Hashable {
    /// Nothing reported yet.
    case unknown
    case serving
    case notServing
}
