package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"
)

// Cost is the cost of work on a cluster, averaged over simulations.
type Cost struct {
	Nodes       int     `json:"nodes"`
	Shards      int     `json:"shards"`
	Wall        float64 `json:"wall_seconds"`    // see [Outcome]
	WallSD      float64 `json:"wall_sd_seconds"` // standard deviation of Wall over simulations; 0 for a single one
	NodeHours   float64 `json:"node_hours"`      // node hours used by attempts
	Utilisation float64 `json:"utilisation"`     // see [Outcome]
	Attempts    float64 `json:"attempts"`
	Lost        float64 `json:"lost"` // attempts lost to failures
	Simulations int     `json:"simulations"`
}

// Search controls the simulations and the numbers of shards to try.
type Search struct {
	// Simulations is the maximum number of simulations per number of shards. After the first [Fewest], they stop when
	// the standard error of the wall time is below 1 % of its mean.
	Simulations int

	Seed   uint64 // seed of the first simulation; each further one adds 1
	Shards int    // largest array that the scheduler accepts; 0 for no limit
}

// Fewest is the minimum number of simulations before the mean may count as precise enough.
const Fewest = 5

// Cost returns the cost of work that is cut into at most the given number of shards.
func (c Cluster) Cost(ctx context.Context, w Work, shards int, s Search) (Cost, error) {
	if s.Simulations < 1 {
		return Cost{}, fmt.Errorf("%d simulations; at least 1 is needed", s.Simulations)
	}
	cut, err := w.Cut(shards)
	if err != nil {
		return Cost{}, err
	}
	return c.cost(ctx, cut, s)
}

func (c Cluster) cost(ctx context.Context, cut Shards, s Search) (Cost, error) {
	cost := Cost{Nodes: c.Nodes, Shards: cut.Len()}
	var walls []float64
	for len(walls) < s.Simulations {
		if err := ctx.Err(); err != nil {
			return Cost{}, err
		}
		outcomes, err := c.simulateMany(cut, s.Seed+uint64(len(walls)), min(Fewest, s.Simulations-len(walls)))
		if err != nil {
			return Cost{}, err
		}
		for _, o := range outcomes {
			walls = append(walls, o.Wall)
			cost.NodeHours += o.NodeSeconds / 3600
			cost.Utilisation += o.Utilisation
			cost.Attempts += float64(o.Attempts)
			cost.Lost += float64(o.Lost)
		}
		if cost.Wall, cost.WallSD = stat.PopMeanStdDev(walls, nil); len(walls) > 1 {
			cost.WallSD = stat.StdDev(walls, nil)
		}
		if len(walls) >= Fewest && stat.StdErr(cost.WallSD, float64(len(walls))) < 0.01*cost.Wall {
			break
		}
	}
	n := float64(len(walls))
	cost.NodeHours, cost.Utilisation, cost.Attempts, cost.Lost = cost.NodeHours/n, cost.Utilisation/n, cost.Attempts/n, cost.Lost/n
	cost.Simulations = len(walls)
	return cost, nil
}

// simulateMany runs simulations in parallel.
func (c Cluster) simulateMany(cut Shards, seed uint64, n int) ([]Outcome, error) {
	outcomes, errs := make([]Outcome, n), make([]error, n)
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range outcomes {
		free <- struct{}{}
		all.Go(func() {
			outcomes[i], errs[i] = c.Simulate(cut, seed+uint64(i))
			<-free
		})
	}
	all.Wait()
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	return outcomes, nil
}

// Even is the tolerance in comparing wall times: up to this share above the least counts as equally good.
const Even = 0.01

// Best returns the cost at the best number of shards: the smallest number that is as good ([Even]) as any that was
// tried.
//
// It tries the number of nodes times powers of two, and 1.5 times these. Upwards it goes to 16 times the nodes, and
// on until the wall time has been longer than the least three times in a row. Downwards it stops in the same way, or
// once the wall time is longer by a tenth.
func (c Cluster) Best(ctx context.Context, w Work, s Search) (Cost, error) {
	if s.Simulations < 1 || s.Shards < 0 {
		return Cost{}, fmt.Errorf("%d simulations of up to %d shards; at least 1, and 0 shards for no bound, are needed", s.Simulations, s.Shards)
	}
	most := w.Blocks()
	if s.Shards > 0 {
		most = min(most, s.Shards)
	}
	tried := map[int]Cost{} // by number of shards
	least := math.Inf(1)
	try := func(shards int) (wall float64, err error) {
		cut, err := w.Cut(min(max(shards, 1), most))
		if err != nil {
			return 0, err
		}
		cost, known := tried[cut.Len()]
		if !known {
			if cost, err = c.cost(ctx, cut, s); err != nil {
				return 0, err
			}
			tried[cut.Len()] = cost
			least = min(least, cost.Wall)
		}
		return cost.Wall, nil
	}
	const up, worst = 8, 3
	for step, worse := 0, 0; worse < worst && (step == 0 || rung(c.Nodes, step-1) < most); step++ {
		wall, err := try(rung(c.Nodes, step))
		if err != nil {
			return Cost{}, err
		}
		if worse++; wall <= least || step < up {
			worse = 0
		}
	}
	for step, worse := -1, 0; worse < worst && rung(c.Nodes, step+1) > 1; step-- {
		wall, err := try(rung(c.Nodes, step))
		if err != nil {
			return Cost{}, err
		}
		if worse++; wall <= least {
			worse = 0
		} else if wall > 1.1*least {
			break
		}
	}
	var best Cost
	for _, t := range tried {
		if t.Wall <= (1+Even)*least && (best.Shards == 0 || t.Shards < best.Shards) {
			best = t
		}
	}
	return best, nil
}

// rung returns nodes times 2^(step/2), rounded, with 3/2 instead of √2 for half steps.
func rung(nodes, step int) int {
	half := step & 1
	return int(min(math.Round(float64(nodes)*math.Exp2(float64((step-half)/2))*(1+float64(half)/2)), math.MaxInt32))
}

// Doublings returns 1, 2, 4, … up to the first number of nodes that is at least most.
func Doublings(most int) (nodes []int) {
	for n := 1; ; n *= 2 {
		nodes = append(nodes, n)
		if n >= most {
			return nodes
		}
	}
}

// Saves is the smallest share of the wall time that doubling the nodes must save for work to scale.
const Saves = 0.1

// StopsAt returns the number of nodes at which work stops scaling: the first where doubling them saves less than
// [Saves] of the wall time. The costs are for 1, 2, 4, … nodes. If work scales throughout, the result is 0.
func StopsAt(doublings []Cost) (nodes int, err error) {
	for i := range doublings {
		if doublings[i].Nodes != 1<<i {
			return 0, errors.New("the costs are not those of 1, 2, 4, … nodes")
		}
		if i > 0 && doublings[i].Wall > (1-Saves)*doublings[i-1].Wall {
			return doublings[i-1].Nodes, nil
		}
	}
	return 0, nil
}
