/// The version of the program: the only place that states it.
package let runnerVersion = "0.1.0"
